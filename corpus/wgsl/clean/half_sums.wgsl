// Sums of halves in f16, exact.
// judge: --groups 1 --buffer out=zero:4 --expect out=f32[6.0,6.0,6.0,6.0]
// verdict: clean
enable f16;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
var<workgroup> part: array<f16, 4>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  part[i] = 0.5h * f16(i) + 0.75h;
  workgroupBarrier();
  var sum = 0.0h;
  for (var k = 0u; k < 4u; k++) { sum += part[k]; }
  out[i] = f32(sum);
}
