// Fields of bits taken out and put in, of a key that is packed into a word.
// judge: --groups 1 --buffer key=u32[0xabcd1234] --buffer out=zero:4 --expect out=u32[0xcd1,0xabcd1ff4,15,0x2c48b3d5]
// verdict: clean
@group(0) @binding(0) var<storage, read> key: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1)
fn main() {
  out[0] = extractBits(key, 12u, 12u);
  out[1] = insertBits(key, 0xffu, 4u, 8u);
  out[2] = countOneBits(key);
  out[3] = reverseBits(key);
}
