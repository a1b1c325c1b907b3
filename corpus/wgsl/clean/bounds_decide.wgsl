// Sums that are rounded, and lie beyond a bound by more than that: the bound is exact, and decides branches and indices.
// judge: --groups 1 --buffer x=f32[0.1,0.7] --buffer out=zero:10 --expect out=u32[0,255,1,1,1,1,1,1,1,1]
// verdict: clean
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1)
fn main() {
  let tenths = x[0] + x[0] + x[0];
  out[0] = u32(max(tenths - x[1], 0.0));
  out[1] = u32(clamp(tenths * 1000.0, 0.0, 255.0));
  if max(sin(x[0]), 2.0) == 2.0 { out[2] = 1u; }
  if min(tenths, 0.25) == 0.25 { out[3] = 1u; }
  if saturate(tenths * 10.0) == 1.0 { out[4] = 1u; }
  if step(0.5, tenths) == 0.0 { out[5] = 1u; }
  if sign(tenths - x[1]) == -1.0 { out[6] = 1u; }
  if smoothstep(0.0, 0.1, tenths) == 1.0 { out[7] = 1u; }
  if select(2.0, 1.0, tenths < x[1]) == 1.0 { out[8] = 1u; }
  if floor(tenths * 5.0) == 1.0 { out[9] = 1u; }
}
