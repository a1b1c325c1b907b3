// Sums that are rounded, and lie on a bound or where a function jumps: devices may differ in all of the result.
// judge: --groups 1 --buffer x=f32[0.1,0.6,3.0,0.0] --buffer out=zero:10
// verdict: rounding-dependent 19
// verdict: rounding-dependent 20
// verdict: rounding-dependent 21
// verdict: rounding-dependent 22
// verdict: rounding-dependent 23
// verdict: rounding-dependent 24
// verdict: rounding-dependent 25
// verdict: rounding-dependent 26
// verdict: rounding-dependent 27
// verdict: rounding-dependent 28
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1)
fn main() {
  let tenths = x[0] + x[0] + x[0];
  if max(tenths, 0.3) == 0.3 { out[0] = 1u; }
  out[1] = u32(clamp(tenths * 10.0, 0.0, 255.0));
  if saturate(tenths / 0.3) == 1.0 { out[2] = 1u; }
  if step(0.3, tenths) > 0.5 { out[3] = 1u; }
  if sign(tenths - 0.3) > 0.5 { out[4] = 1u; }
  if select(2.0, 1.0, tenths < 0.3) > 1.5 { out[5] = 1u; }
  if floor(tenths * 10.0) > 2.5 { out[6] = 1u; }
  if fract(tenths * 10.0) > 0.5 { out[7] = 1u; }
  if (x[1] * 10.0) % x[2] > 1.0 { out[8] = 1u; }
  if atan2(x[3], x[3]) > 1.0 { out[9] = 1u; }
}
