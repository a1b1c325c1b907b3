// A prefix sum by subgroupShuffleUp, where lanes throw away what comes from before the first lane.
// judge: --groups 1 --subgroup 4 --buffer out=zero:4 --expect out=u32[1,3,6,10]
// verdict: clean
enable subgroups;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(subgroup_invocation_id) lane: u32) {
  var sum = lane + 1u;
  for (var distance = 1u; distance < 4u; distance *= 2u) {
    let before = subgroupShuffleUp(sum, distance);
    sum += select(0u, before, lane >= distance);
  }
  out[lane] = sum;
}
