// Groups draw tickets, and each waits for the one with the ticket before: it ends if that goes on meanwhile.
// judge: --groups 3 --buffer sums=zero:3 --buffer ticket=zero:1 --expect sums=u32[1,2,3]
// verdict: needs-progress 16
@group(0) @binding(0) var<storage, read_write> sums: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> ticket: atomic<u32>;
var<workgroup> drawn: u32;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  if i == 0u {
    drawn = atomicAdd(&ticket, 1u);
  }
  let part = workgroupUniformLoad(&drawn);
  if i == 0u {
    var before = 0u;
    while part > 0u && before == 0u { before = atomicLoad(&sums[part - 1u]); }
    atomicStore(&sums[part], before + 1u);
  }
}
