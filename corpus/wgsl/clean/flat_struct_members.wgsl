// Members of one structure are locations of their own: two invocations write one each.
// judge: --groups 1 --buffer nodes=zero:4 --expect nodes=u32[0,0,5,9]
// verdict: clean
struct Node { low: u32, high: u32 }
@group(0) @binding(0) var<storage, read_write> nodes: array<Node, 2>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  if i == 0u { nodes[1].high = 9u; } else { nodes[1].low = 5u; }
}
