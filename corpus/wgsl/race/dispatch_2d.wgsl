// A two-dimensional grid is counted by its first dimension only, so the rows of the grid write over each other.
// judge: --groups 2,2 --buffer image=zero:16
// verdict: race image 8
@group(0) @binding(0) var<storage, read_write> image: array<u32>;

@compute @workgroup_size(2, 2)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) lid: u32) {
  image[4u * wid.x + lid] = wid.y;
}
