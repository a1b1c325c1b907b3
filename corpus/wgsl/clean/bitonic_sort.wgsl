// A bitonic sort of eight keys in work-group memory: the lower invocation of a pair exchanges its keys.
// judge: --groups 1 --buffer keys=u32[7,3,9,1,8,2,6,4] --expect keys=u32[1,2,3,4,6,7,8,9]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> keys: array<u32>;
var<workgroup> k: array<u32, 8>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
  k[i] = keys[i];
  workgroupBarrier();
  for (var size = 2u; size <= 8u; size *= 2u) {
    for (var gap = size / 2u; gap > 0u; gap /= 2u) {
      let j = i ^ gap;
      if j > i {
        let a = k[i];
        let b = k[j];
        if (a > b) == ((i & size) == 0u) {
          k[i] = b;
          k[j] = a;
        }
      }
      workgroupBarrier();
    }
  }
  keys[i] = k[i];
}
