// A blend that falls from the first depth to the second, as one minus a blend that rises.
// judge: --groups 1 --buffer depth=f32[1.0,0.0,0.25] --buffer blend=zero:1 --expect blend=f32[0.84375]
// verdict: clean
@group(0) @binding(0) var<storage, read> depth: array<f32>;
@group(0) @binding(1) var<storage, read_write> blend: f32;

@compute @workgroup_size(1)
fn main() {
  blend = 1.0 - smoothstep(depth[1], depth[0], depth[2]);
}
