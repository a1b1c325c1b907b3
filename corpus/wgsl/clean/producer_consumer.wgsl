// In one work group, a consumer looks into a mailbox behind the barrier that its neighbour has come to.
// judge: --groups 1 --buffer out=zero:1 --expect out=u32[42]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> out: u32;
var<workgroup> mailbox: u32;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  if i == 1u { mailbox = 41u; }
  workgroupBarrier();
  if i == 0u { out = mailbox + 1u; }
}
