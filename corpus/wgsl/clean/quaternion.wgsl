// A rotation of a vector by a quaternion: cross products of exact numbers.
// judge: --groups 1 --buffer out=zero:4 --expect out=f32[0.0,1.0,0.0,0.0]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> out: vec4f;

@compute @workgroup_size(1)
fn main() {
  var q = vec4f(0.0, 0.0, 1.0, 1.0);
  var v = vec3f(1.0, 0.0, 0.0);
  // Twice (v + w * (q x v) * 2 + ...) for |q|^2 = 2.
  let t = cross(q.xyz, v);
  out = vec4f(v + q.w * t + cross(q.xyz, t), 0.0);
}
