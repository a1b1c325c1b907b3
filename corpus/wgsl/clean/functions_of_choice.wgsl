// The built-in functions of WGSL that choose, reinterpret, measure and make values of other types.
// judge: --groups 1 --buffer in=u32[0x40490fdb,0xfffffff9,0x3c00c000,5] --buffer out=zero:20
// judge: --expect out=u32[1,1,0,1,9,7,0x40490fdb,0xfffffff9,3,4294967289,7,0x3c00c000,20,4,1,0,5,1,0,3]
// verdict: clean
enable f16;
struct Pair { first: u32, second: vec2u }
@group(0) @binding(0) var<storage, read> in: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1)
fn main() {
  let f = bitcast<f32>(in[0]);
  let s = bitcast<i32>(in[1]);
  out[0] = u32(all(vec3<bool>(f > 3.0, s < 0, in[3] == 5u)));
  out[1] = u32(any(vec2<bool>(f < 3.0, s < 0)));
  out[2] = u32(all(s > 0));
  out[3] = u32(any(s < 0));
  out[4] = select(8u, 9u, s < 0);
  let chosen = select(vec2u(1u, 2u), vec2u(3u, 4u), vec2<bool>(s > 0, s < 0));
  out[5] = chosen.x + chosen.y + 2u;
  out[6] = bitcast<u32>(f);
  out[7] = bitcast<u32>(vec2i(0, s).y);
  // Conversions take what is behind the point away, and keep the bits of integers.
  out[8] = u32(f);
  out[9] = u32(i32(-7.5 + (f - f)));
  out[10] = u32(abs(i32(in[1])));
  out[11] = bitcast<u32>(bitcast<vec2<f16>>(in[2]));
  out[12] = arrayLength(&out);
  out[13] = arrayLength(&in);
  out[14] = u32(bool(in[3]));
  // Values that nobody gives are zero.
  let nothing = Pair();
  out[15] = nothing.first + nothing.second.y + u32(vec4f().w) + u32(mat2x2f()[1].x) + array<u32, 2>()[1];
  let pair = Pair(in[3], vec2(1u, 0u));
  out[16] = pair.first;
  out[17] = pair.second.x;
  out[18] = array(pair.second.y, 2u)[0];
  out[19] = u32(vec4(vec2(f), vec2f(f32(1.0h), 2.0)).x) * u32(f16(in[3]) - 4.0h);
}
