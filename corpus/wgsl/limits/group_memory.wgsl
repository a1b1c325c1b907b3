// Tiles of a matrix product that take 20,000 bytes of work-group memory, where 16,384 are promised.
// judge: --groups 1 --orders 2 --buffer out=zero:16
// verdict: limits
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, 5000>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
  tile[i * 312u] = i;
  workgroupBarrier();
  out[i] = tile[(15u - i) * 312u];
}
