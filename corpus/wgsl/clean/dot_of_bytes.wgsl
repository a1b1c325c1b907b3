// Products of packed bytes, as for quantized weights.
// judge: --groups 1 --buffer w=u32[0x01020304] --buffer out=zero:3 --expect out=u32[30,1,0x04040404]
// verdict: clean
@group(0) @binding(0) var<storage, read> w: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1)
fn main() {
  out[0] = dot4U8Packed(w, w);
  out[1] = unpack4xU8(w).w;
  out[2] = pack4xU8(vec4u(4u));
}
