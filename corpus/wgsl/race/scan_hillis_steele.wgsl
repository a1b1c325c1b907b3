// An inclusive prefix sum by doubling distances in one array: neighbours still read what a round already overwrites.
// judge: --groups 1 --buffer values=u32[3,1,4,1,5,9,2,6]
// verdict: race scan 14
const SIZE = 8u;
@group(0) @binding(0) var<storage, read_write> values: array<u32>;
var<workgroup> scan: array<u32, SIZE>;

@compute @workgroup_size(SIZE)
fn main(@builtin(local_invocation_index) lid: u32) {
  scan[lid] = values[lid];
  for (var distance = 1u; distance < SIZE; distance *= 2u) {
    workgroupBarrier();
    if lid >= distance {
      scan[lid] += scan[lid - distance];
    }
  }
  values[lid] = scan[lid];
}
