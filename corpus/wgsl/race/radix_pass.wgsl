// A pass of a radix sort by one bit: the keys go back into the buffer that other invocations still read.
// judge: --groups 1 --buffer keys=u32[5,2,7,4]
// verdict: race keys 18
@group(0) @binding(0) var<storage, read_write> keys: array<u32>;
var<workgroup> bit: array<u32, 4>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  bit[i] = keys[i] & 1u;
  workgroupBarrier();
  var ones_before = 0u;
  var zeros = 0u;
  for (var k = 0u; k < 4u; k++) {
    zeros += 1u - bit[k];
    if k < i { ones_before += bit[k]; }
  }
  let at = select(i - ones_before, zeros + ones_before, bit[i] == 1u);
  keys[at] = keys[i];
}
