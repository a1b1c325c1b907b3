// The mean of each bin is its sum through its count, and a bin is empty.
// judge: --groups 1 --buffer sums=f32[6.0,0.0] --buffer counts=u32[2,0] --buffer means=zero:2
// verdict: not-finite 10
@group(0) @binding(0) var<storage, read> sums: array<f32>;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read_write> means: array<f32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  means[i] = sums[i] / f32(counts[i]);
}
