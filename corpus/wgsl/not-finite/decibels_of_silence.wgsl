// A level in decibels is cut off at -100. That of silence is minus infinity before, which a device may take to be impossible.
// judge: --groups 1 --buffer power=f32[1.0,0.0] --buffer level=zero:2 --expect level=f32[0.0,-100.0]
// verdict: not-finite 9
@group(0) @binding(0) var<storage, read> power: array<f32>;
@group(0) @binding(1) var<storage, read_write> level: array<f32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  level[i] = max(10.0 * log(power[i]) / log(10.0), -100.0);
}
