// The place of the least key: of two equal ones the last to come wins, and that depends on the order.
// judge: --groups 1 --buffer keys=u32[8,3,9,3] --buffer best=u32[100,0]
// verdict: order-dependent best
struct Best { key: atomic<u32>, place: atomic<u32> }
@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> best: Best;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  atomicMin(&best.key, keys[i]);
  storageBarrier();
  if keys[i] == atomicLoad(&best.key) {
    atomicStore(&best.place, i);
  }
}
