// Particles in cells whose width is a power of two: the product that replaces the division is exact.
// judge: --groups 1 --buffer positions=f32[0.3,0.75] --buffer cells=zero:2 --expect cells=u32[2,6]
// verdict: clean
@group(0) @binding(0) var<storage, read> positions: array<f32>;
@group(0) @binding(1) var<storage, read_write> cells: array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  cells[i] = u32(positions[i] * 8.0);
}
