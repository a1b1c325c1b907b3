// A work group that is as large as is promised: 256 invocations, and 16,384 bytes of memory.
// judge: --groups 1 --orders 2 --buffer out=zero:256
// verdict: clean
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, 4096>;

@compute @workgroup_size(16, 16)
fn main(@builtin(local_invocation_index) i: u32) {
  for (var k = 0u; k < 16u; k++) { tile[16u * i + k] = i; }
  workgroupBarrier();
  out[i] = tile[16u * (255u - i)];
}
