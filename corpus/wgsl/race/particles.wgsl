// Particles that look at all others and move in place: some see where a neighbour was, some where it is.
// judge: --groups 2 --buffer bodies=i32[0,1,8,-1,4,2,4,0]
// verdict: race bodies 11 14
struct Body { at: i32, speed: i32 }
@group(0) @binding(0) var<storage, read_write> bodies: array<Body>;

@compute @workgroup_size(2)
fn main(@builtin(global_invocation_id) gid: vec3u) {
  var force = 0;
  for (var k = 0u; k < arrayLength(&bodies); k++) {
    force += sign(bodies[k].at - bodies[gid.x].at);
  }
  bodies[gid.x].speed += force;
  bodies[gid.x].at += bodies[gid.x].speed;
}
