// The guard for a grid that is larger than its data returns in front of the barrier of a scan.
// judge: --groups 2 --buffer data=iota:6
// verdict: barrier 13
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> tile: array<u32, 4>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) gid: vec3u, @builtin(local_invocation_index) lid: u32) {
  if gid.x >= arrayLength(&data) {
    return;
  }
  tile[lid] = data[gid.x];
  workgroupBarrier();
  data[gid.x] = tile[lid] + tile[0];
}
