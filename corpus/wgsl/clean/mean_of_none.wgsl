// The mean of each bin, with a count of at least one.
// judge: --groups 1 --buffer sums=f32[6.0,0.0] --buffer counts=u32[2,0] --buffer means=zero:2 --expect means=f32[3.0,0.0]
// verdict: clean
@group(0) @binding(0) var<storage, read> sums: array<f32>;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read_write> means: array<f32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  means[i] = sums[i] / f32(max(counts[i], 1u));
}
