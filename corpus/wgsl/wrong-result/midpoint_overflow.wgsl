// The mean of two large numbers by their sum, which wraps around.
// judge: --groups 1 --buffer pairs=u32[4000000000,4000000002,2,4] --buffer means=zero:2 --expect means=u32[4000000001,3]
// verdict: wrong-result
@group(0) @binding(0) var<storage, read> pairs: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> means: array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  let p = pairs[i];
  means[i] = (p.x + p.y) / 2u;
}
