// Iterations of an iterative solver, each with a barrier: how many there are stands in a buffer that the shader may write, so no
// analysis sees that it is the same for all, though it is.
// judge: --groups 1 --buffer rounds=u32[3] --buffer cells=u32[1,2,3,4] --expect cells=u32[20,24,20,16]
// verdict: uniformity 17
@group(0) @binding(0) var<storage, read_write> rounds: u32;
@group(0) @binding(1) var<storage, read_write> cells: array<u32>;
var<workgroup> tile: array<u32, 4>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  var own = cells[i];
  for (var round = 0u; round < rounds; round++) {
    tile[i] = own;
    // All invocations see the same rounds.
    workgroupBarrier();
    own = tile[i] + tile[(i + 1u) % 4u];
    workgroupBarrier();
  }
  cells[i] = own;
}
