// Rows of a 3 wide image, addressed with the width of the grid in place of the image's.
// judge: --groups 1 --buffer image=zero:6
// verdict: out-of-bounds 9
@group(0) @binding(0) var<storage, read_write> image: array<u32>;

@compute @workgroup_size(4, 2)
fn main(@builtin(global_invocation_id) gid: vec3u) {
  if gid.x < 3u {
    image[gid.y * 4u + gid.x] = gid.x + gid.y;
  }
}
