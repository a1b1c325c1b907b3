// The normal of a triangle whose corners lie on a line, or a fixed one if there is none.
// judge: --groups 1 --buffer corners=f32[0,0,0,0,1,1,1,0,2,2,2,0] --buffer normal=zero:4 --expect normal=f32[0,0,1,0]
// verdict: clean
@group(0) @binding(0) var<storage, read> corners: array<vec4f, 3>;
@group(0) @binding(1) var<storage, read_write> normal: vec3f;

@compute @workgroup_size(1)
fn main() {
  let product = cross(corners[1].xyz - corners[0].xyz, corners[2].xyz - corners[0].xyz);
  if dot(product, product) > 1e-12 {
    normal = normalize(product);
  } else {
    normal = vec3f(0.0, 0.0, 1.0);
  }
}
