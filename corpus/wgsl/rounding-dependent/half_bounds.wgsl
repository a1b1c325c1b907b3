// A sum of f16 is as far from a bound as its rounding may take it.
// judge: --groups 1 --buffer x=f16[0.1,0.2998] --buffer out=zero:2
// verdict: rounding-dependent 10
// verdict: rounding-dependent 11
enable f16;
@group(0) @binding(0) var<storage, read> x: vec2h;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1)
fn main() {
  if max(x.x + x.x + x.x, x.y) == x.y { out[0] = 1u; }
  if floor((x.x + x.x + x.x) / x.y) > 0.5h { out[1] = 1u; }
}
