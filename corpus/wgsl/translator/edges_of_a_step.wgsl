// A blend that falls from the first depth to the second: WGSL has a value, and SmoothStep of SPIR-V has none.
// judge: --groups 1 --buffer depth=f32[1.0,0.0,0.25] --buffer blend=zero:1 --expect blend=f32[0.84375]
// verdict: translator 9
@group(0) @binding(0) var<storage, read> depth: array<f32>;
@group(0) @binding(1) var<storage, read_write> blend: f32;

@compute @workgroup_size(1)
fn main() {
  blend = smoothstep(depth[0], depth[1], depth[2]);
}
