// Even lanes ask their odd neighbours for a value within a branch that those do not take.
// judge: --groups 1 --subgroup 4 --buffer out=zero:4
// verdict: indeterminate 10
enable subgroups;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(subgroup_invocation_id) lane: u32) {
  if lane % 2u == 0u {
    out[lane] = subgroupShuffleXor(10u * lane, 1u);
  }
}
