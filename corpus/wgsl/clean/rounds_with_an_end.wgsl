// A group goes round by round until nothing changes: each element becomes the smaller of two.
// judge: --buffer data=u32[2,1] --expect data=u32[1,1]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> data: array<u32, 2>;
var<workgroup> changed: array<u32, 2>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  loop {
    let least = min(data[i], data[1u - i]);
    storageBarrier();
    changed[i] = u32(data[i] != least);
    data[i] = least;
    storageBarrier();
    workgroupBarrier();
    if changed[0] + changed[1] == 0u { break; }
    workgroupBarrier();
  }
}
