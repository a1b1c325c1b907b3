// Two invocations of a group set their own flag, and behind a barrier read each other's.
// judge: --buffer out=zero:2 --expect out=u32[1,1]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> flags: array<atomic<u32>, 2>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  atomicStore(&flags[i], 1u);
  workgroupBarrier();
  out[i] = atomicLoad(&flags[1u - i]);
}
