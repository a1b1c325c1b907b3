// A queue of tasks that tells which invocation did which task.
// judge: --groups 2 --buffer next=zero:1 --buffer worker=zero:7
// verdict: order-dependent worker
@group(0) @binding(0) var<storage, read_write> next: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> worker: array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(global_invocation_id) gid: vec3u) {
  loop {
    let task = atomicAdd(&next, 1u);
    if task >= arrayLength(&worker) { break; }
    worker[task] = gid.x;
  }
}
