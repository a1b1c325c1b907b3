// Memory model, store buffering: each stores to its own word and loads that of the other, by plain accesses, with a barrier between the two: one outcome.
// judge: --groups 1 --buffer seen=zero:2 --expect seen=u32[0,1]
// verdict: clean
var<workgroup> m: array<u32, 2>;
@group(0) @binding(0) var<storage, read_write> seen: array<u32, 2>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  if i == 0u {
    m[0] = 1u;
    let a = m[1];
    seen[0] = a;
  }
  workgroupBarrier();
  if i == 1u {
    m[1] = 1u;
    let b = m[0];
    seen[1] = b;
  }
}
