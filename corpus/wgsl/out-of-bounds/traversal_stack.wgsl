// A walk over a tree with a stack of two entries in private memory: a third node is pushed.
// judge: --groups 1 --buffer children=u32[1,2,3,4,5,6,0,0,0,0,0,0,0,0] --buffer visited=zero:1
// verdict: out-of-bounds 18
@group(0) @binding(0) var<storage, read> children: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> visited: u32;

@compute @workgroup_size(1)
fn main() {
  var stack: array<u32, 2>;
  var top = 1u;
  var count = 0u;
  while top > 0u {
    top--;
    let node = children[stack[top]];
    count++;
    if node.x != 0u {
      stack[top] = node.x;
      stack[top + 1u] = node.y;
      top += 2u;
    }
  }
  visited = count;
}
