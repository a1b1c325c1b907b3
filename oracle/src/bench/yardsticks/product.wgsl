// The product of two square matrices whose side is a multiple of 16: a tile a work group, with tiles of both in
// work-group memory.
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read> b: array<i32>;
@group(0) @binding(2) var<storage, read_write> output: array<i32>;
@group(0) @binding(3) var<storage, read> side: u32;

var<workgroup> of_a: array<i32, 256>;
var<workgroup> of_b: array<i32, 256>;

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let at = group.xy * 16u + local.xy;
  var sum = 0;
  for (var k = 0u; k < side; k += 16u) {
    of_a[local.y * 16u + local.x] = a[at.y * side + k + local.x];
    of_b[local.y * 16u + local.x] = b[(k + local.y) * side + at.x];
    workgroupBarrier();
    for (var j = 0u; j < 16u; j++) {
      sum += of_a[local.y * 16u + j] * of_b[j * 16u + local.x];
    }
    workgroupBarrier();
  }
  output[at.y * side + at.x] = sum;
}
