// Memory model, message passing: data, then a flag; the reader looks at the flag, then at the data, within a work group, by relaxed atomics: flag seen and data not: (1, 0) is permitted.
// judge: --groups 1 --buffer seen=zero:2
// verdict: order-dependent
var<workgroup> m: array<atomic<u32>, 2>;
@group(0) @binding(0) var<storage, read_write> seen: array<u32, 2>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  if i == 0u {
    atomicStore(&m[0], 1u);
    atomicStore(&m[1], 1u);
  } else {
    let a = atomicLoad(&m[1]);
    let b = atomicLoad(&m[0]);
    seen[0] = a;
    seen[1] = b;
  }
}
