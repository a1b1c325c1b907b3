// Memory model, 2+2 writes: both store to two words, in opposite orders, within a work group, by relaxed atomics: which store comes last is open in each word.
// judge: --groups 1 --buffer seen=zero:2
// verdict: order-dependent
var<workgroup> m: array<atomic<u32>, 2>;
@group(0) @binding(0) var<storage, read_write> seen: array<u32, 2>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  if i == 0u {
    atomicStore(&m[0], 1u);
    atomicStore(&m[1], 2u);
  } else {
    atomicStore(&m[1], 1u);
    atomicStore(&m[0], 2u);
  }
  workgroupBarrier();
  seen[i] = atomicLoad(&m[i]);
}
