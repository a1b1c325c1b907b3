// Memory model, store buffering: each stores to its own word and loads that of the other, within a work group, by relaxed atomics: both may see zero.
// judge: --groups 1 --buffer seen=zero:2
// verdict: order-dependent
var<workgroup> m: array<atomic<u32>, 2>;
@group(0) @binding(0) var<storage, read_write> seen: array<u32, 2>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  if i == 0u {
    atomicStore(&m[0], 1u);
    let a = atomicLoad(&m[1]);
    seen[0] = a;
  } else {
    atomicStore(&m[1], 1u);
    let b = atomicLoad(&m[0]);
    seen[1] = b;
  }
}
