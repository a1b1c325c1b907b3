// The down-sweep of a prefix sum begins with no barrier behind the store of the zero at the root.
// judge: --groups 1 --buffer values=u32[1,2,3,4]
// verdict: race tree 12 15
@group(0) @binding(0) var<storage, read_write> values: array<u32>;
var<workgroup> tree: array<u32, 4>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  tree[2u * lid] = values[2u * lid];
  tree[2u * lid + 1u] = values[2u * lid + 1u] + values[2u * lid];
  workgroupBarrier();
  if lid == 1u { tree[3] = 0u; }
  if lid == 0u {
    let left = tree[1];
    tree[1] = tree[3];
    tree[3] = left;
  }
  workgroupBarrier();
  values[2u * lid] = tree[2u * lid];
  values[2u * lid + 1u] = tree[2u * lid + 1u];
}
