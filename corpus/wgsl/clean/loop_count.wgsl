// A loop with a barrier goes as often as the longest list of the group asks for.
// judge: --groups 1 --buffer lengths=u32[2,2,3,2] --buffer out=zero:4 --expect out=u32[3,3,3,3]
// verdict: clean
@group(0) @binding(0) var<storage, read> lengths: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
var<workgroup> step: array<u32, 4>;
var<workgroup> longest: atomic<u32>;
var<workgroup> agreed: u32;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lid: u32) {
  atomicMax(&longest, lengths[lid]);
  workgroupBarrier();
  if lid == 0u { agreed = atomicLoad(&longest); }
  let rounds = workgroupUniformLoad(&agreed);
  var sum = 0u;
  for (var k = 0u; k < rounds; k++) {
    step[lid] = k;
    workgroupBarrier();
    sum += step[(lid + 1u) % 4u];
    workgroupBarrier();
  }
  out[lid] = sum;
}
