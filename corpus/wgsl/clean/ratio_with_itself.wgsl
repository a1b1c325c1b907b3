// A ratio that is rounded is compared with itself, which is no question of rounding.
// judge: --groups 1 --buffer x=f32[0.3,0.1] --buffer out=zero:1 --expect out=f32[3.0]
// verdict: clean
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(1)
fn main() {
  let ratio = x[0] / x[1];
  if ratio != ratio { out[0] = 0.0; } else { out[0] = ratio; }
}
