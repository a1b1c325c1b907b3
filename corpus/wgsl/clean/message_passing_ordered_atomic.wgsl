// Memory model, message passing: data, then a flag; the reader looks at the flag, then at the data, by atomics, with a barrier between the two: one outcome.
// judge: --groups 1 --buffer seen=zero:2 --expect seen=u32[1,1]
// verdict: clean
var<workgroup> m: array<atomic<u32>, 2>;
@group(0) @binding(0) var<storage, read_write> seen: array<u32, 2>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  if i == 0u {
    atomicStore(&m[0], 1u);
    atomicStore(&m[1], 1u);
  }
  workgroupBarrier();
  if i == 1u {
    let a = atomicLoad(&m[1]);
    let b = atomicLoad(&m[0]);
    seen[0] = a;
    seen[1] = b;
  }
}
