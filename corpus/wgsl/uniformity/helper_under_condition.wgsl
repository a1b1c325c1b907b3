// A helper with a barrier, called where the number of a subset of the work says so: the same for all invocations, but computed
// by each from its own number.
// judge: --groups 1 --buffer out=zero:4 --expect out=u32[3,2,1,0]
// verdict: uniformity 10
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, 4>;

fn turned(i: u32) -> u32 {
  tile[i] = i;
  workgroupBarrier();
  return tile[3u - i];
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  // The block of four is the first one for all of them.
  if i / 4u == 0u { out[i] = turned(i); }
}
