// A queue whose head is atomic for one variable and plain for none: the array is cleared by a plain store through another invocation.
// judge: --groups 2 --buffer queue=zero:4 --buffer out=zero:2
// verdict: race queue 11 12
struct Queue { head: atomic<u32>, items: array<u32, 3> }
@group(0) @binding(0) var<storage, read_write> queue: Queue;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 2>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) wid: vec3u) {
  let at = atomicAdd(&queue.head, 1u);
  queue.items[at] = wid.x + 7u;
  if at == 1u { out[0] = queue.items[0]; }
}
