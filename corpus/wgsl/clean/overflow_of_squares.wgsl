// Squares of a vector that is scaled by its largest component first.
// judge: --groups 1 --buffer v=f32[2e20,4e20] --buffer square=zero:1 --expect square=f32[1.25] --tolerance 0.000001
// verdict: clean
@group(0) @binding(0) var<storage, read> v: vec2f;
@group(0) @binding(1) var<storage, read_write> square: f32;

@compute @workgroup_size(1)
fn main() {
  let scale = max(abs(v.x), abs(v.y));
  let s = v / scale;
  square = s.x * s.x + s.y * s.y;
}
