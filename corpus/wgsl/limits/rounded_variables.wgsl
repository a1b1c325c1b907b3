// Two variables of 16,376 bytes together. Each counts as a multiple of 16 bytes, and so they take 16,400, where 16,384 are promised.
// judge: --groups 1 --orders 2 --buffer out=zero:16
// verdict: limits
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, 4093>;
var<workgroup> last: u32;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
  tile[i * 255u] = i;
  if i == 0u { last = 15u; }
  workgroupBarrier();
  out[i] = tile[(last - i) * 255u];
}
