// Two smoothing steps in two dispatches that go back and forth between two halves of a buffer.
// judge: --groups 2 --groups 2 --buffer cells=u32[8,0,0,0,0,0,0,0] --buffer step=zero:2 --expect cells=u32[4,0,4,0,0,4,0,4]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> cells: array<u32>;
@group(0) @binding(1) var<storage, read_write> step: array<atomic<u32>, 2>;

@compute @workgroup_size(2)
fn main(@builtin(global_invocation_id) gid: vec3u) {
  // Behind the first dispatch, four have counted; within it, an invocation sees three at most.
  let back = atomicAdd(&step[0], 1u) >= 4u;
  let src = select(0u, 4u, back);
  let dst = 4u - src;
  let left = cells[src + (gid.x + 3u) % 4u];
  let right = cells[src + (gid.x + 1u) % 4u];
  cells[dst + gid.x] = (left + right) / 2u;
}
