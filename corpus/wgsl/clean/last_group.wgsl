// The sum of a grid: groups add what they have by an atomic operation, so no group has to be the last one.
// judge: --groups 4 --buffer input=iota:16 --buffer total=zero:1 --expect total=u32[120]
// verdict: clean
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> total: atomic<u32>;
var<workgroup> sum: atomic<u32>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) gid: vec3u, @builtin(local_invocation_index) lid: u32) {
  atomicAdd(&sum, input[gid.x]);
  workgroupBarrier();
  if lid == 0u { atomicAdd(&total, atomicLoad(&sum)); }
}
