// A matrix in a buffer of three rows: a column of three floats takes the place of four.
// judge: --groups 1 --buffer m=zero:12 --expect m=f32[1.0,2.0,3.0,0.0,2.0,4.0,6.0,0.0,3.0,6.0,9.0,0.0]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> m: mat3x3<f32>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
  m[i] = vec3f(1.0, 2.0, 3.0) * f32(i + 1u);
}
