// A blur over a tile with a halo, which the invocations at the edges of the group load.
// judge: --groups 2 --buffer pixels=u32[9,9,9,0,0,0,9,9] --buffer blurred=zero:8 --expect blurred=u32[9,9,6,3,0,3,6,9]
// verdict: clean
@group(0) @binding(0) var<storage, read> pixels: array<u32>;
@group(0) @binding(1) var<storage, read_write> blurred: array<u32>;
var<workgroup> tile: array<u32, 6>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) gid: vec3u, @builtin(local_invocation_index) lid: u32) {
  let last = arrayLength(&pixels) - 1u;
  tile[lid + 1u] = pixels[gid.x];
  if lid == 0u { tile[0] = pixels[max(gid.x, 1u) - 1u]; }
  if lid == 3u { tile[5] = pixels[min(gid.x + 1u, last)]; }
  workgroupBarrier();
  blurred[gid.x] = (tile[lid] + tile[lid + 1u] + tile[lid + 2u]) / 3u;
}
