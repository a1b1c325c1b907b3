// Sums of 2,048 elements each: eight an invocation first, then a tree in work-group memory.
@group(0) @binding(0) var<storage, read> input: array<i32>;
@group(0) @binding(1) var<storage, read_write> output: array<i32>;

var<workgroup> sums: array<i32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
  let n = arrayLength(&input);
  var sum = 0;
  for (var k = 0u; k < 8u; k++) {
    let i = group.x * 2048u + k * 256u + local;
    if (i < n) {
      sum += input[i];
    }
  }
  sums[local] = sum;
  workgroupBarrier();
  for (var half = 128u; half > 0u; half /= 2u) {
    if (local < half) {
      sums[local] += sums[local + half];
    }
    workgroupBarrier();
  }
  if (local == 0u) {
    output[group.x] = sums[0];
  }
}
