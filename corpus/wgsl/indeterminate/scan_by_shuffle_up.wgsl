// A prefix sum by subgroupShuffleUp adds what the first lane gets from no lane.
// judge: --groups 1 --subgroup 4 --buffer out=zero:4
// verdict: indeterminate 10
enable subgroups;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(subgroup_invocation_id) lane: u32) {
  var sum = lane + 1u;
  sum += subgroupShuffleUp(sum, 1u);
  out[lane] = sum;
}
