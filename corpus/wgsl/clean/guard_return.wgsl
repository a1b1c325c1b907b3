// The guard for a grid that is larger than its data stands around loads and stores, and not around the barrier.
// judge: --groups 2 --buffer data=iota:6 --expect data=u32[0,1,2,3,8,9]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> tile: array<u32, 4>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) gid: vec3u, @builtin(local_invocation_index) lid: u32) {
  let inside = gid.x < arrayLength(&data);
  if inside {
    tile[lid] = data[gid.x];
  }
  workgroupBarrier();
  if inside {
    data[gid.x] = tile[lid] + tile[0];
  }
}
