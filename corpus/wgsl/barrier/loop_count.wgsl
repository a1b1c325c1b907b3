// A loop with a barrier goes as often as the list of an invocation is long, and lists have different lengths.
// judge: --groups 1 --buffer lengths=u32[2,2,3,2] --buffer out=zero:4
// verdict: barrier 13
@group(0) @binding(0) var<storage, read> lengths: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
var<workgroup> step: array<u32, 4>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lid: u32) {
  var sum = 0u;
  for (var k = 0u; k < lengths[lid]; k++) {
    step[lid] = k;
    workgroupBarrier();
    sum += step[(lid + 1u) % 4u];
    workgroupBarrier();
  }
  out[lid] = sum;
}
