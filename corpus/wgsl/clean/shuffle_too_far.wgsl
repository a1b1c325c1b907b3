// A rotation within a subgroup comes back to the first lane.
// judge: --groups 1 --subgroup 8 --buffer out=zero:8 --expect out=u32[1,4,9,16,25,36,49,0]
// verdict: clean
enable subgroups;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(subgroup_invocation_id) lane: u32) {
  let next = subgroupShuffle(lane * lane, (lane + 1u) % 8u);
  out[lane] = next;
}
