// Adds to the elements of each chunk of 2,048 the sum of all chunks before it.
@group(0) @binding(0) var<storage, read> scanned: array<i32>;
@group(0) @binding(1) var<storage, read> totals: array<i32>;
@group(0) @binding(2) var<storage, read_write> output: array<i32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
  let n = arrayLength(&output);
  var before = 0;
  if (group.x > 0u) {
    before = totals[group.x - 1u];
  }
  for (var k = local; k < 2048u; k += 256u) {
    let i = group.x * 2048u + k;
    if (i < n) {
      output[i] = scanned[i] + before;
    }
  }
}
