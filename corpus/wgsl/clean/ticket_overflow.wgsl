// A list with room for three: who finds no room appends nothing, and the count tells how many wanted to.
// judge: --groups 1 --buffer list=zero:4 --expect list=u32[5,7,7,7]
// verdict: clean
struct List { count: atomic<u32>, items: array<u32> }
@group(0) @binding(0) var<storage, read_write> list: List;

@compute @workgroup_size(5)
fn main() {
  let at = atomicAdd(&list.count, 1u);
  if at < arrayLength(&list.items) {
    list.items[at] = 7u;
  }
}
