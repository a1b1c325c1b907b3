// A value is checked for NaN by comparing it with itself, which a compiler may leave out.
// judge: --groups 1 --buffer x=f32[0.0,1.0] --buffer out=zero:2
// verdict: not-finite 9
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  let ratio = x[i] / x[i];
  if ratio != ratio {
    out[i] = 0.0;
  } else {
    out[i] = ratio;
  }
}
