// A walk along a linked list that takes at most as many steps as there are nodes.
// judge: --groups 1 --buffer next=u32[3,0,1,2] --buffer length=zero:1 --expect length=u32[4]
// verdict: clean
const NONE = 0xffffffffu;
@group(0) @binding(0) var<storage, read> next: array<u32>;
@group(0) @binding(1) var<storage, read_write> length: u32;

@compute @workgroup_size(1)
fn main() {
  var node = 0u;
  var steps = 0u;
  while node != NONE && steps < arrayLength(&next) {
    node = next[node];
    steps++;
  }
  length = steps;
}
