// Memory model, load buffering: each loads the word that the other stores behind its own load, within a work group, by relaxed atomics: both may see one.
// judge: --groups 1 --buffer seen=zero:2
// verdict: order-dependent
var<workgroup> m: array<atomic<u32>, 2>;
@group(0) @binding(0) var<storage, read_write> seen: array<u32, 2>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  if i == 0u {
    let a = atomicLoad(&m[0]);
    atomicStore(&m[1], 1u);
    seen[0] = a;
  } else {
    let b = atomicLoad(&m[1]);
    atomicStore(&m[0], 1u);
    seen[1] = b;
  }
}
