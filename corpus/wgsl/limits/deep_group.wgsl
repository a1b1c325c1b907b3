// A work group that is 128 deep, where 64 are promised in that direction.
// judge: --groups 1 --buffer out=zero:128
// verdict: limits
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1, 1, 128)
fn main(@builtin(local_invocation_index) i: u32) {
  out[i] = i;
}
