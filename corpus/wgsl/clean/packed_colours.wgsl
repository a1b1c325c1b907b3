// Colours packed into words of four bytes, and unpacked again.
// judge: --groups 1 --buffer colours=u32[0xff0000ff,0x8000ff00] --buffer out=zero:2 --expect out=u32[0xffffff00,0x80ff00ff]
// verdict: clean
@group(0) @binding(0) var<storage, read> colours: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  let c = unpack4x8unorm(colours[i]);
  out[i] = pack4x8unorm(vec4f(1.0 - c.rgb, c.a));
}
