// The length of a vector of f16, whose square is beyond the greatest f16: the length is 500, and infinite where it is computed so.
// judge: --groups 1 --buffer v=f16[300,400] --buffer length_of=zero:1
// verdict: not-finite 10
enable f16;
@group(0) @binding(0) var<storage, read> v: vec2h;
@group(0) @binding(1) var<storage, read_write> length_of: f32;

@compute @workgroup_size(1)
fn main() {
  length_of = f32(length(v));
}
