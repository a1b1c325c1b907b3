// An exclusive prefix sum by an up-sweep and a down-sweep over a tree.
// judge: --groups 1 --buffer values=u32[1,2,3,4,5,6,7,8] --expect values=u32[0,1,3,6,10,15,21,28]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> values: array<u32>;
var<workgroup> tree: array<u32, 8>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lid: u32) {
  tree[2u * lid] = values[2u * lid];
  tree[2u * lid + 1u] = values[2u * lid + 1u];
  var offset = 1u;
  for (var d = 4u; d > 0u; d /= 2u) {
    workgroupBarrier();
    if lid < d {
      tree[offset * (2u * lid + 2u) - 1u] += tree[offset * (2u * lid + 1u) - 1u];
    }
    offset *= 2u;
  }
  workgroupBarrier();
  if lid == 0u { tree[7] = 0u; }
  for (var d = 1u; d < 8u; d *= 2u) {
    offset /= 2u;
    workgroupBarrier();
    if lid < d {
      let a = offset * (2u * lid + 1u) - 1u;
      let b = offset * (2u * lid + 2u) - 1u;
      let left = tree[a];
      tree[a] = tree[b];
      tree[b] += left;
    }
  }
  workgroupBarrier();
  values[2u * lid] = tree[2u * lid];
  values[2u * lid + 1u] = tree[2u * lid + 1u];
}
