// Boids that keep apart: distances by length, and positions from one buffer to another.
// judge: --groups 1 --buffer now=f32[0,0,3.0,4.0,100.0,0] --buffer next=zero:6 --expect next=f32[-0.6,-0.8,3.6,4.8,100.0,0] --tolerance 0.0001
// verdict: clean
@group(0) @binding(0) var<storage, read> now: array<vec2f>;
@group(0) @binding(1) var<storage, read_write> next: array<vec2f>;

@compute @workgroup_size(3)
fn main(@builtin(global_invocation_id) gid: vec3u) {
  let own = now[gid.x];
  var push = vec2f(0.0);
  for (var k = 0u; k < arrayLength(&now); k++) {
    let away = own - now[k];
    if k != gid.x && length(away) < 10.0 { push += normalize(away); }
  }
  next[gid.x] = own + push;
}
