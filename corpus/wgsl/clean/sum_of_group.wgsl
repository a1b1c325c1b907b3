// The sum of a work group: each subgroup adds up, and one lane of each adds that to a word of the group.
// judge: --groups 1 --subgroup 4,8,16,32 --buffer input=iota:16 --buffer sum=zero:1 --expect sum=u32[120]
// verdict: clean
enable subgroups;
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> sum: u32;
var<workgroup> all: atomic<u32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_invocation_id) lane: u32) {
  let part = subgroupAdd(input[i]);
  if lane == 0u {
    atomicAdd(&all, part);
  }
  workgroupBarrier();
  if i == 0u {
    sum = atomicLoad(&all);
  }
}
