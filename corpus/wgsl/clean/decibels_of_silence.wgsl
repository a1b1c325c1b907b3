// A level in decibels of a power that is cut off before its logarithm is taken.
// judge: --groups 1 --buffer power=f32[1.0,0.0] --buffer level=zero:2 --expect level=f32[0.0,-100.0] --tolerance 1e-4
// verdict: clean
@group(0) @binding(0) var<storage, read> power: array<f32>;
@group(0) @binding(1) var<storage, read_write> level: array<f32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  level[i] = 10.0 * log(max(power[i], 1e-10)) / log(10.0);
}
