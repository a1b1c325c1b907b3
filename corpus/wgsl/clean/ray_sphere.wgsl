// A ray meets a sphere: sqrt of an exact square.
// judge: --groups 1 --buffer hits=zero:2 --expect hits=f32[4.0,-1.0] --tolerance 0.000001
// verdict: clean
@group(0) @binding(0) var<storage, read_write> hits: array<f32>;

fn hit(origin: vec3f, direction: vec3f) -> f32 {
  let b = dot(origin, direction);
  let c = dot(origin, origin) - 1.0;
  let d = b * b - c;
  if d < 0.0 { return -1.0; }
  return -b - sqrt(d);
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  hits[i] = hit(vec3f(0.0, 3.0 * f32(i), -5.0), vec3f(0.0, 0.0, 1.0));
}
