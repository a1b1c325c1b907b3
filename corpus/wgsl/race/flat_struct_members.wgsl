// Copies of a whole structure: one invocation stores all of it, another one a member.
// judge: --groups 1 --buffer nodes=zero:4
// verdict: race nodes 9 10
struct Node { low: u32, high: u32 }
@group(0) @binding(0) var<storage, read_write> nodes: array<Node, 2>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  nodes[i] = Node(i, i + 1u);
  if i == 0u { nodes[1].high = 9u; }
}
