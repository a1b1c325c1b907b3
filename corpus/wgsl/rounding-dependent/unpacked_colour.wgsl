// A key colour is looked for among floats: 51 / 255 is a fifth on some devices, and near it on others.
// judge: --groups 1 --buffer colours=u32[0x33,0x80] --buffer found=zero:2
// verdict: rounding-dependent 10
@group(0) @binding(0) var<storage, read> colours: array<u32>;
@group(0) @binding(1) var<storage, read_write> found: array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  let c = unpack4x8unorm(colours[i]);
  if c.x == 0.2 { found[i] = 1u; }
}
