// A step of breadth-first search over edges: two edges lead to one node, and both write its distance.
// judge: --groups 2 --buffer edges=u32[0,1,0,2,1,3,2,3] --buffer distance=u32[0,1,1,99]
// verdict: same-value distance[3] 12
struct Edge { tail: u32, head: u32 }
@group(0) @binding(0) var<storage, read> edges: array<Edge>;
@group(0) @binding(1) var<storage, read_write> distance: array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(global_invocation_id) gid: vec3u) {
  let edge = edges[gid.x];
  if edge.head == 3u {
    distance[edge.head] = 2u;
  }
}
