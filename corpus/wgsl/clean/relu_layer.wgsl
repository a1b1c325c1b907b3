// A layer of a network with a rectifier, whose outputs are counted where they are 0, and become bytes.
// judge: --groups 1 --buffer weight=f32[0.1,-0.3,0.7,0.9] --buffer input=f32[0.3,0.9] --buffer bytes=zero:2 --buffer zeros=zero:1
// judge: --expect bytes=u32[0,255] --expect zeros=u32[1]
// verdict: clean
@group(0) @binding(0) var<storage, read> weight: array<vec2f>;
@group(0) @binding(1) var<storage, read> input: vec2f;
@group(0) @binding(2) var<storage, read_write> bytes: array<u32>;
@group(0) @binding(3) var<storage, read_write> zeros: atomic<u32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  let output = max(dot(weight[i], input), 0.0);
  if output == 0.0 { atomicAdd(&zeros, 1u); }
  bytes[i] = u32(clamp(output * 1000.0, 0.0, 255.0));
}
