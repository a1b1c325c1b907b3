// The exponent of an f16 is an i32. naga 30 gives it the type i16, which FrexpStruct of SPIR-V does not take.
// judge: --groups 1 --buffer out=zero:1
// verdict: translator 10
enable f16;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(1)
fn main() {
  var half = 6.0h;
  let parts = frexp(half);
  out[0] = f32(parts.exp);
}
