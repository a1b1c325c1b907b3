// The condition stands behind the barrier, so all invocations reach that.
// judge: --groups 1 --buffer out=zero:4 --expect out=u32[3,2,1,0]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, 4>;

fn turned(i: u32) -> u32 {
  tile[i] = i;
  workgroupBarrier();
  return tile[3u - i];
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  let other = turned(i);
  if i / 4u == 0u { out[i] = other; }
}
