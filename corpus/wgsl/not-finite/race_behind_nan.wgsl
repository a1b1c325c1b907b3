// Invocations race only where a quotient is NaN, which a device may take to be impossible.
// judge: --groups 1 --buffer x=f32[0.0,0.0] --buffer out=zero:1
// verdict: not-finite 10
// verdict: race out 11
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  let ratio = x[i] / x[i];
  if !(ratio == ratio) {
    out[0] = i;
  }
}
