// An inclusive prefix sum by doubling distances in one array: a barrier behind the reads and one behind the writes.
// judge: --groups 1 --buffer values=u32[3,1,4,1,5,9,2,6] --expect values=u32[3,4,8,9,14,23,25,31]
// verdict: clean
const SIZE = 8u;
@group(0) @binding(0) var<storage, read_write> values: array<u32>;
var<workgroup> scan: array<u32, SIZE>;

@compute @workgroup_size(SIZE)
fn main(@builtin(local_invocation_index) lid: u32) {
  scan[lid] = values[lid];
  for (var distance = 1u; distance < SIZE; distance *= 2u) {
    workgroupBarrier();
    var left = 0u;
    if lid >= distance {
      left = scan[lid - distance];
    }
    workgroupBarrier();
    scan[lid] += left;
  }
  values[lid] = scan[lid];
}
