// A smoothing step in place: an invocation overwrites what its neighbours still have to read.
// judge: --groups 1 --buffer cells=u32[8,0,0,8]
// verdict: race cells 8 10
@group(0) @binding(0) var<storage, read_write> cells: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  let left = cells[(i + 3u) % 4u];
  let right = cells[(i + 1u) % 4u];
  cells[i] = (left + right) / 2u;
}
