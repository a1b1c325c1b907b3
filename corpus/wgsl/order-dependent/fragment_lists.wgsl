// Linked lists of fragments, one a pixel: the head is exchanged, so the last to come is the first in the list.
// judge: --groups 1 --buffer heads=u32[99,99] --buffer next=zero:4
// verdict: order-dependent heads
@group(0) @binding(0) var<storage, read_write> heads: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> next: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) fragment: u32) {
  let pixel = fragment % 2u;
  next[fragment] = atomicExchange(&heads[pixel], fragment);
}
