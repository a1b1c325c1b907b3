// A barrier of the tile orders what is written and what is read.
// judge: --groups 2 --buffer a=iota:128
// verdict: clean
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
var<workgroup> tile: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32, @builtin(global_invocation_id) id: vec3u) {
  tile[i] = a[id.x];
  workgroupBarrier();
  a[id.x] = tile[63u - i];
}
