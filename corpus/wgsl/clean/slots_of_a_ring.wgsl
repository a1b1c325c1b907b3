// In one work group a ring is filled, and emptied behind a barrier: it orders the slots, whoever wrote them.
// judge: --groups 1 --buffer empty=zero:1 --expect empty=u32[0]
// verdict: clean
var<workgroup> count: atomic<u32>;
var<workgroup> ring: array<atomic<u32>, 4>;
@group(0) @binding(0) var<storage, read_write> empty: atomic<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  if i == 0u {
    for (var k = 0u; k < 4u; k++) {
      atomicStore(&ring[k], k + 1u);
      atomicAdd(&count, 1u);
    }
  }
  workgroupBarrier();
  let full = atomicLoad(&count);
  for (var k = 0u; k < full; k++) {
    if atomicLoad(&ring[k]) == 0u { atomicAdd(&empty, 1u); }
  }
}
