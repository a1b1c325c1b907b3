// A group goes round by round until nothing changes, but two elements change places for ever.
// judge: --buffer data=u32[2,1]
// verdict: never-ends
@group(0) @binding(0) var<storage, read_write> data: array<u32, 2>;
var<workgroup> changed: array<u32, 2>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  loop {
    let other = data[1u - i];
    storageBarrier();
    changed[i] = u32(data[i] != other);
    data[i] = other;
    storageBarrier();
    workgroupBarrier();
    if changed[0] + changed[1] == 0u { break; }
    workgroupBarrier();
  }
}
