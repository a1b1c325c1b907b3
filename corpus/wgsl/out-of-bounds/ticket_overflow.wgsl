// A list with room for three takes what five invocations append, with no look at its length.
// judge: --groups 1 --buffer list=zero:4
// verdict: out-of-bounds 10
struct List { count: atomic<u32>, items: array<u32> }
@group(0) @binding(0) var<storage, read_write> list: List;

@compute @workgroup_size(5)
fn main() {
  let at = atomicAdd(&list.count, 1u);
  list.items[at] = 7u;
}
