// A two-dimensional grid over an image that its groups do not divide.
// judge: --groups 2,2 --buffer size=u32[3,3] --buffer image=zero:9 --expect image=u32[0,1,2,10,11,12,20,21,22]
// verdict: clean
@group(0) @binding(0) var<uniform> size: vec2u;
@group(0) @binding(1) var<storage, read_write> image: array<u32>;

@compute @workgroup_size(2, 2)
fn main(@builtin(global_invocation_id) gid: vec3u) {
  if any(gid.xy >= size) {
    return;
  }
  image[gid.y * size.x + gid.x] = 10u * gid.y + gid.x;
}
