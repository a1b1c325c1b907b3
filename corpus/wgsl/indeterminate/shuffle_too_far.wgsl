// A rotation within a subgroup asks the last lane for the value of a lane that is not there.
// judge: --groups 1 --subgroup 8 --buffer out=zero:8
// verdict: indeterminate 9
enable subgroups;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(subgroup_invocation_id) lane: u32) {
  let next = subgroupShuffle(lane * lane, lane + 1u);
  out[lane] = next;
}
