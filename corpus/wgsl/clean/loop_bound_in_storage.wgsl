// The number of iterations is loaded as a uniform value, so Tint sees that all invocations reach the barriers.
// judge: --groups 1 --buffer rounds=u32[3] --buffer cells=u32[1,2,3,4] --expect cells=u32[20,24,20,16]
// verdict: clean
@group(0) @binding(0) var<storage, read> rounds: u32;
@group(0) @binding(1) var<storage, read_write> cells: array<u32>;
var<workgroup> tile: array<u32, 4>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  var own = cells[i];
  for (var round = 0u; round < rounds; round++) {
    tile[i] = own;
    workgroupBarrier();
    own = tile[i] + tile[(i + 1u) % 4u];
    workgroupBarrier();
  }
  cells[i] = own;
}
