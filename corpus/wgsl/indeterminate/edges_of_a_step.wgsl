// A blend between two depths that are the same: WGSL has no value for a smoothstep of equal edges.
// judge: --groups 1 --buffer depth=f32[0.5,0.5,0.4] --buffer blend=zero:1
// verdict: indeterminate 9
@group(0) @binding(0) var<storage, read> depth: array<f32>;
@group(0) @binding(1) var<storage, read_write> blend: f32;

@compute @workgroup_size(1)
fn main() {
  blend = smoothstep(depth[0], depth[1], depth[2]);
}
