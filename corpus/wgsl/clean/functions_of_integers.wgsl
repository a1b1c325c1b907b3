// The numeric built-in functions of WGSL, of integers.
// judge: --groups 1 --buffer in=u32[15733300,4294967219,0] --buffer out=zero:43
// judge: --expect out=u32[77,15733300,9,4294967287,8,0,9,29,2,0,15733323,4294967130,310,54,35,51,23,6,2,0,4294967295,4294967295,32,32,15734580,4294967040,15733300,4294967287,9,4294967219,742919936,3456106495,4294967295,0,0,15733300,1,1,1,1,1,1,1]
// verdict: clean
struct In { x: u32, y: i32, zero: u32 }
@group(0) @binding(0) var<storage, read> in: In;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1)
fn main() {
  let x = in.x;
  let y = in.y;
  let zero = in.zero;
  out[0] = u32(abs(y));
  out[1] = abs(x);
  out[2] = clamp(x, 5u, 9u);
  out[3] = u32(clamp(y, -9, 9));
  out[4] = countLeadingZeros(x);
  out[5] = u32(countLeadingZeros(y));
  out[6] = countOneBits(x);
  out[7] = u32(countOneBits(y));
  out[8] = countTrailingZeros(x);
  out[9] = u32(countTrailingZeros(y));
  out[10] = dot(vec3u(x, 2u, 3u), vec3u(1u, 4u, 5u));
  out[11] = u32(dot(vec2i(y, 3), vec2i(2, -4)));
  out[12] = dot4U8Packed(x, 0x01010101u);
  out[13] = u32(dot4I8Packed(x, 0x01010101u));
  out[14] = extractBits(x, 4u, 8u);
  out[15] = u32(extractBits(y, 0u, 7u));
  out[16] = firstLeadingBit(x);
  out[17] = u32(firstLeadingBit(y));
  out[18] = firstTrailingBit(x);
  out[19] = u32(firstTrailingBit(y));
  out[20] = firstLeadingBit(zero);
  out[21] = u32(firstTrailingBit(i32(zero)));
  out[22] = countLeadingZeros(zero);
  out[23] = countTrailingZeros(zero);
  out[24] = insertBits(x, 7u, 8u, 4u);
  out[25] = u32(insertBits(y, 0, 0u, 8u));
  out[26] = max(x, 9u);
  out[27] = u32(max(y, -9));
  out[28] = min(x, 9u);
  out[29] = u32(min(y, -9));
  out[30] = reverseBits(x);
  out[31] = u32(reverseBits(y));
  out[32] = u32(sign(y));
  out[33] = u32(sign(i32(zero)));
  out[34] = extractBits(x, zero + 28u, 9u);
  out[35] = insertBits(x, 7u, zero + 40u, 4u);
  out[36] = select(0u, 1u, abs(vec2i(y, 3)).x == 77 && all(countOneBits(vec2u(x, 3u)) == vec2u(9u, 2u)));
  out[37] = select(0u, 1u, all(reverseBits(vec2u(1u, x)) == vec2u(0x80000000u, reverseBits(x))));
  out[38] = select(0u, 1u, all(clamp(vec2i(y, 3), vec2i(-9), vec2i(2)) == vec2i(-9, 2)));
  out[39] = select(0u, 1u, all(extractBits(vec2u(x, 255u), 4u, 4u) == vec2u(3u, 15u)));
  out[40] = select(0u, 1u, all(insertBits(vec2i(y, 0), vec2i(1), 0u, 1u) == vec2i(y, 1)));
  out[41] = select(0u, 1u, all(firstLeadingBit(vec2i(y, 8)) == vec2i(6, 3)));
  out[42] = select(0u, 1u, all(sign(vec2i(y, 8)) == vec2i(-1, 1)));
}
