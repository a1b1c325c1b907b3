// A radix sort of three bits in one work group: each pass scatters behind a barrier for buffers.
// judge: --groups 1 --buffer keys=u32[5,2,7,4] --expect keys=u32[2,4,5,7]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> keys: array<u32>;
var<workgroup> bit: array<u32, 4>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  for (var shift = 0u; shift < 3u; shift++) {
    let key = keys[i];
    bit[i] = (key >> shift) & 1u;
    workgroupBarrier();
    storageBarrier();
    var ones_before = 0u;
    var zeros = 0u;
    for (var k = 0u; k < 4u; k++) {
      zeros += 1u - bit[k];
      if k < i { ones_before += bit[k]; }
    }
    let at = select(i - ones_before, zeros + ones_before, bit[i] == 1u);
    keys[at] = key;
    workgroupBarrier();
    storageBarrier();
  }
}
