// A queue in work-group memory: filled in any order, summed up behind a barrier.
// judge: --groups 1 --buffer out=zero:1 --expect out=u32[22]
// verdict: clean
struct Queue { head: atomic<u32>, items: array<u32, 4> }
var<workgroup> queue: Queue;
@group(0) @binding(0) var<storage, read_write> out: array<u32, 1>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lid: u32) {
  let at = atomicAdd(&queue.head, 1u);
  queue.items[at] = lid + 4u;
  workgroupBarrier();
  if lid == 2u {
    out[0] = queue.items[0] + queue.items[1] + queue.items[2] + queue.items[3];
  }
}
