// Memory model, atomicity: a load and a store, each atomic, are no addition; steps of other groups between them are lost.
// judge: --groups 2 --buffer count=zero:1
// verdict: order-dependent count
@group(0) @binding(0) var<storage, read_write> count: atomic<u32>;

@compute @workgroup_size(2)
fn main() {
  let old = atomicLoad(&count);
  atomicStore(&count, old + 1u);
}
