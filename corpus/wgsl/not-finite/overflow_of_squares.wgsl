// A length by squares overflows for a long vector, and infinity is stored.
// judge: --groups 1 --buffer v=f32[3e20,4e20] --buffer square=zero:1
// verdict: not-finite 9
@group(0) @binding(0) var<storage, read> v: vec2f;
@group(0) @binding(1) var<storage, read_write> square: f32;

@compute @workgroup_size(1)
fn main() {
  square = v.x * v.x + v.y * v.y;
}
