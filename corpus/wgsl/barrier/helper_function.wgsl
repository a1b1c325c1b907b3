// A helper that adds up over the group hides a barrier, and is called for even invocations only.
// judge: --groups 1 --buffer out=zero:4
// verdict: barrier 9
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> sum: atomic<u32>;

fn sum_of_group(value: u32) -> u32 {
  atomicAdd(&sum, value);
  workgroupBarrier();
  return atomicLoad(&sum);
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lid: u32) {
  if lid % 2u == 0u {
    out[lid] = sum_of_group(lid);
  }
}
