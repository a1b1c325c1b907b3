// A particle exactly at the border of two cells of a grid: a division that rounds decides in which one it is.
// judge: --groups 1 --buffer positions=f32[0.3,0.65] --buffer cells=zero:2
// verdict: rounding-dependent 9
@group(0) @binding(0) var<storage, read> positions: array<f32>;
@group(0) @binding(1) var<storage, read_write> cells: array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  cells[i] = u32(positions[i] / 0.1);
}
