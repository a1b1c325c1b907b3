// The last rounds of a sum go without barriers, since the lanes of a subgroup are thought to go in lockstep.
// judge: --groups 1 --subgroup 8,32 --buffer data=iota:8 --buffer sum=zero:1
// verdict: race part 12 13
@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> sum: u32;
var<workgroup> part: array<u32, 8>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
  part[i] = data[i];
  workgroupBarrier();
  if i < 4u { part[i] += part[i + 4u]; }
  if i < 2u { part[i] += part[i + 2u]; }
  if i < 1u { part[i] += part[i + 1u]; }
  if i == 0u { sum = part[0]; }
}
