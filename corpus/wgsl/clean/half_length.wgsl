// The length of a vector of f16, computed with f32.
// judge: --groups 1 --buffer v=f16[300,400] --buffer length_of=zero:1 --expect length_of=f32[500]
// verdict: clean
enable f16;
@group(0) @binding(0) var<storage, read> v: vec2h;
@group(0) @binding(1) var<storage, read_write> length_of: f32;

@compute @workgroup_size(1)
fn main() {
  length_of = length(vec2f(v));
}
