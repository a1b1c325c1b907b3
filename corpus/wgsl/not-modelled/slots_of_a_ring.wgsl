// In one work group a ring is filled: a producer writes a slot and then counts it, the others take slots that are counted and say
// whether one was empty. None is in any run, but the counter does not order the slots.
// judge: --groups 1 --buffer empty=zero:1
// verdict: not-modelled relaxed 19
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
  } else {
    let full = atomicLoad(&count);
    for (var k = 0u; k < full; k++) {
      if atomicLoad(&ring[k]) == 0u { atomicAdd(&empty, 1u); }
    }
  }
}
