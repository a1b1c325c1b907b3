// In one work group, a consumer spins on a mailbox that its neighbour fills.
// judge: --groups 1 --fuel 2000 --buffer out=zero:1
// verdict: needs-progress
@group(0) @binding(0) var<storage, read_write> out: u32;
var<workgroup> mailbox: atomic<u32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  if i == 1u {
    atomicStore(&mailbox, 41u);
  } else {
    var letter = 0u;
    while letter == 0u { letter = atomicExchange(&mailbox, 0u); }
    out = letter + 1u;
  }
}
