// Memory model, coherence of reads: one stores, the other loads the word twice, within a work group, by relaxed atomics: the second load is never older than the first.
// judge: --groups 1 --buffer seen=zero:2
// verdict: order-dependent
var<workgroup> m: array<atomic<u32>, 2>;
@group(0) @binding(0) var<storage, read_write> seen: array<u32, 2>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  if i == 0u {
    atomicStore(&m[0], 1u);
  } else {
    let a = atomicLoad(&m[0]);
    let b = atomicLoad(&m[0]);
    seen[0] = a;
    seen[1] = b;
  }
}
