// A histogram in work-group memory, added to the one of all groups.
// judge: --groups 2 --buffer samples=u32[3,0,3,1,3,2,0,3] --buffer bins=zero:4 --expect bins=u32[2,1,1,4]
// verdict: clean
@group(0) @binding(0) var<storage, read> samples: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, 4>;
var<workgroup> local_bins: array<atomic<u32>, 4>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) gid: vec3u, @builtin(local_invocation_index) lid: u32) {
  atomicAdd(&local_bins[samples[gid.x] % 4u], 1u);
  workgroupBarrier();
  atomicAdd(&bins[lid], atomicLoad(&local_bins[lid]));
}
