// Indices are spread over banks by one word in four, in an array that is as much longer.
// judge: --groups 1 --buffer data=iota:8 --expect data=u32[1,0,3,2,5,4,7,6]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> tile: array<u32, 10>;

fn padded(i: u32) -> u32 { return i + i / 4u; }

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
  tile[padded(i)] = data[i];
  workgroupBarrier();
  data[i] = tile[padded(i ^ 1u)];
}
