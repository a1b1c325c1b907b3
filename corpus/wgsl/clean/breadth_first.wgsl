// A step of breadth-first search over edges, with atomicMin: distances only get shorter.
// judge: --groups 2 --buffer edges=u32[0,1,0,2,1,3,2,3] --buffer distance=u32[0,1,1,99] --expect distance=u32[0,1,1,2]
// verdict: clean
struct Edge { tail: u32, head: u32 }
@group(0) @binding(0) var<storage, read> edges: array<Edge>;
@group(0) @binding(1) var<storage, read_write> distance: array<atomic<u32>>;

@compute @workgroup_size(2)
fn main(@builtin(global_invocation_id) gid: vec3u) {
  let edge = edges[gid.x];
  let here = atomicLoad(&distance[edge.tail]);
  if here == 1u {
    atomicMin(&distance[edge.head], here + 1u);
  }
}
