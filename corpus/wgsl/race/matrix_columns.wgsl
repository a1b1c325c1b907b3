// Three invocations fill one column of a matrix, a component each: the column is a vector, which a store may write as a whole.
// judge: --groups 1 --buffer m=zero:4
// verdict: race m 8
@group(0) @binding(0) var<storage, read_write> m: mat2x2<f32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  m[0][i] = f32(i);
}
