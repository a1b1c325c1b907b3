// Memory model, atomics of work-group memory behind storageBarrier, which does not order them: what is loaded is open.
// judge: --groups 1 --buffer out=zero:1
// verdict: order-dependent out 11
@group(0) @binding(0) var<storage, read_write> out: u32;
var<workgroup> n: atomic<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  atomicAdd(&n, 1u);
  storageBarrier();
  if i == 0u { out = atomicLoad(&n); }
}
