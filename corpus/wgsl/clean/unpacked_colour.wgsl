// The key colour is looked for among bytes; black, which is exact, among floats.
// judge: --groups 1 --buffer colours=u32[0x33,0x80] --buffer found=zero:2 --expect found=u32[3,2]
// verdict: clean
@group(0) @binding(0) var<storage, read> colours: array<u32>;
@group(0) @binding(1) var<storage, read_write> found: array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  if unpack4xU8(colours[i]).x == 0x33u { found[i] = 1u; }
  if unpack4x8unorm(colours[i]).y == 0.0 { found[i] += 2u; }
}
