// A scratch word broadcasts a value to the group twice: the second value is stored while others still read the first.
// judge: --groups 1 --buffer input=u32[5,7] --buffer out=zero:4
// verdict: race shared_value 9 11
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
var<workgroup> shared_value: u32;

fn broadcast(value: u32, lid: u32) -> u32 {
  if lid == 0u { shared_value = value; }
  workgroupBarrier();
  return shared_value;
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lid: u32) {
  out[lid] = broadcast(input[0], lid) + broadcast(input[1], lid);
}
