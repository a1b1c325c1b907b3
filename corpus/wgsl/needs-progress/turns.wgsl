// Invocations take turns by a ticket: each waits for the number before its own.
// judge: --groups 1 --fuel 2000 --buffer turn=zero:1 --expect turn=u32[4]
// verdict: needs-progress
@group(0) @binding(0) var<storage, read_write> turn: atomic<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  while atomicLoad(&turn) != i { }
  atomicStore(&turn, i + 1u);
}
