// A bitonic sort whose barrier stands behind the inner loop: steps of one merge overlap.
// judge: --groups 1 --buffer keys=u32[7,3,9,1,8,2,6,4]
// verdict: race k
@group(0) @binding(0) var<storage, read_write> keys: array<u32>;
var<workgroup> k: array<u32, 8>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
  k[i] = keys[i];
  workgroupBarrier();
  for (var size = 2u; size <= 8u; size *= 2u) {
    for (var gap = size / 2u; gap > 0u; gap /= 2u) {
      let j = i ^ gap;
      if j > i && (k[i] > k[j]) == ((i & size) == 0u) {
        let a = k[i];
        k[i] = k[j];
        k[j] = a;
      }
    }
    workgroupBarrier();
  }
  keys[i] = k[i];
}
