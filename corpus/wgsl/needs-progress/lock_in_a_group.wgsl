// Invocations of one group spin for a lock. A device that executes them in lockstep never lets the holder on.
// judge: --groups 1 --buffer sum=zero:1
// verdict: needs-progress 12
@group(0) @binding(0) var<storage, read_write> sum: array<u32>;
var<workgroup> lock: atomic<u32>;
var<workgroup> all: atomic<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  loop {
    // A load first, as those do who know that an exchange is dear.
    if atomicLoad(&lock) == 1u { continue; }
    if atomicExchange(&lock, 1u) == 0u { break; }
  }
  atomicAdd(&all, i);
  atomicStore(&lock, 0u);
  workgroupBarrier();
  if i == 0u { sum[0] = atomicLoad(&all); }
}
