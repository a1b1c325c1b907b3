// A prefix sum over groups that does not wait: each group adds its sum to all that come behind it.
// judge: --groups 3 --buffer input=u32[5,6,7] --buffer sums=zero:3 --expect sums=u32[5,11,18]
// verdict: clean
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<atomic<u32>>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) wid: vec3u) {
  for (var k = wid.x; k < arrayLength(&sums); k++) {
    atomicAdd(&sums[k], input[wid.x]);
  }
}
