// Indices are spread over banks by one word in four, and the work-group array has no room for that.
// judge: --groups 1 --buffer data=iota:8
// verdict: out-of-bounds 11
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> tile: array<u32, 8>;

fn padded(i: u32) -> u32 { return i + i / 4u; }

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
  tile[padded(i)] = data[i];
  workgroupBarrier();
  data[i] = tile[padded(i ^ 1u)];
}
