// The built-in functions of WGSL that pack and unpack.
// judge: --groups 1 --buffer in=u32[0xbf800000,0x3f000000,0x3e800000,0x40000000,0xffffff80,0x7f,0x12c,0xffffffff,0x80ff7f40,0x3555b400,0x0,0x0] --buffer packed=zero:9 --buffer unpacked=zero:24
// judge: --expect packed=u32[0x7f204081,0xff408000,0xff2c7f80,0xff2c7f80,0xff7f7f80,0x7ffff01,0x40008001,0xffff4000,0x3400bc00]
// judge: --expect unpacked=f32[0.503937,1,-0.007874016,-1,0.2509804,0.49803922,1,0.5019608,64,127,-1,-128,64,127,255,128,0.99417096,-0.9922483,0.4970779,0.5038987,-0.25,0.33325195,0,0]
// verdict: clean
struct In { v: vec4f, w: vec4i, p: u32, h: u32 }
@group(0) @binding(0) var<storage, read> in: In;
@group(0) @binding(1) var<storage, read_write> packed: array<u32>;
@group(0) @binding(2) var<storage, read_write> unpacked: array<vec4f>;

@compute @workgroup_size(1)
fn main() {
  let v = in.v;
  let w = in.w;
  let p = in.p;
  let h = in.h;
  packed[0] = pack4x8snorm(v);
  packed[1] = pack4x8unorm(v);
  packed[2] = pack4xI8(w);
  packed[3] = pack4xU8(vec4u(w));
  packed[4] = pack4xI8Clamp(w);
  packed[5] = pack4xU8Clamp(vec4u(1u, 255u, 256u, 7u));
  packed[6] = pack2x16snorm(v.xy);
  packed[7] = pack2x16unorm(v.zw);
  packed[8] = pack2x16float(v.xz);
  unpacked[0] = unpack4x8snorm(p);
  unpacked[1] = unpack4x8unorm(p);
  unpacked[2] = vec4f(unpack4xI8(p));
  unpacked[3] = vec4f(unpack4xU8(p));
  unpacked[4] = vec4f(unpack2x16snorm(p), unpack2x16unorm(p));
  unpacked[5] = vec4f(unpack2x16float(h), 0.0, 0.0);
}
