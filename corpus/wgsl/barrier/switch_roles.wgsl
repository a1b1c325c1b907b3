// Invocations take roles by a switch: only those that produce come to a barrier.
// judge: --groups 1 --buffer out=zero:3
// verdict: barrier 12
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> box: array<u32, 3>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) lid: u32) {
  switch lid {
    case 0u: {
      box[0] = 4u;
      workgroupBarrier();
    }
    case 1u: {
      box[1] = 5u;
      workgroupBarrier();
    }
    default: {
      box[2] = 6u;
    }
  }
  out[lid] = box[lid];
}
