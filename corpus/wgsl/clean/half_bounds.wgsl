// Bounds decide of f16 too, whose sums are rounded much more.
// judge: --groups 1 --buffer x=f16[0.1,0.7] --buffer out=zero:4 --expect out=u32[1,10,1,1]
// verdict: clean
enable f16;
@group(0) @binding(0) var<storage, read> x: vec2h;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1)
fn main() {
  let tenths = x.x + x.x + x.x;
  if max(tenths - x.y, 0.0h) == 0.0h { out[0] = 1u; }
  out[1] = u32(clamp(tenths * 100.0h, 0.0h, 10.0h));
  if step(0.5h, tenths) == 0.0h { out[2] = 1u; }
  if floor(tenths * 5.0h) == 1.0h { out[3] = 1u; }
}
