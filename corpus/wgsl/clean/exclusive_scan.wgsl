// An exclusive scan by plain sums: where the elements of each bin begin.
// judge: --groups 1 --buffer counts=u32[2,0,3,1] --buffer offsets=zero:4 --expect offsets=u32[0,2,2,5]
// verdict: clean
@group(0) @binding(0) var<storage, read> counts: array<u32>;
@group(0) @binding(1) var<storage, read_write> offsets: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  var sum = 0u;
  for (var k = 0u; k < i; k++) { sum += counts[k]; }
  offsets[i] = sum;
}
