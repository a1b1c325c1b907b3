// A whole array is copied out of work-group memory while its elements are still written.
// judge: --groups 1 --buffer out=zero:4
// verdict: race tile 9 10
@group(0) @binding(0) var<storage, read_write> out: array<u32, 4>;
var<workgroup> tile: array<u32, 4>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  tile[i] = i;
  if i == 3u { out = tile; }
}
