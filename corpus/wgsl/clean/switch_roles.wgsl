// Invocations take roles by a switch, and wait for each other behind it.
// judge: --groups 1 --buffer out=zero:3 --expect out=u32[5,6,4]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> box: array<u32, 3>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) lid: u32) {
  switch lid {
    case 0u: { box[0] = 4u; }
    case 1u: { box[1] = 5u; }
    default: { box[2] = 6u; }
  }
  workgroupBarrier();
  out[lid] = box[(lid + 1u) % 3u];
}
