// subgroupAdd is taken for the sum of a work group of 16.
// judge: --groups 1 --subgroup 4,8,16,32 --buffer input=iota:16 --buffer sum=zero:1
// verdict: subgroup-dependent sum
enable subgroups;
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> sum: u32;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
  let all = subgroupAdd(input[i]);
  if i == 0u {
    sum = all;
  }
}
