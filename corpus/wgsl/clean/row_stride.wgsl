// Rows of a 3 wide image, with the width of the image.
// judge: --groups 1 --buffer image=zero:6 --expect image=u32[0,1,2,1,2,3]
// verdict: clean
const WIDTH = 3u;
@group(0) @binding(0) var<storage, read_write> image: array<u32>;

@compute @workgroup_size(4, 2)
fn main(@builtin(global_invocation_id) gid: vec3u) {
  if gid.x < WIDTH {
    image[gid.y * WIDTH + gid.x] = gid.x + gid.y;
  }
}
