// A helper that adds up over the group is called by all: odd invocations add nothing.
// judge: --groups 1 --buffer out=zero:4 --expect out=u32[2,0,2,0]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> sum: atomic<u32>;

fn sum_of_group(value: u32) -> u32 {
  atomicAdd(&sum, value);
  workgroupBarrier();
  return atomicLoad(&sum);
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lid: u32) {
  let even = lid % 2u == 0u;
  let all = sum_of_group(select(0u, lid, even));
  if even {
    out[lid] = all;
  }
}
