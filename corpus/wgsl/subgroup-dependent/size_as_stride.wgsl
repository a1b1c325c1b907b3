// A layout of partial sums whose stride is the size of subgroups.
// judge: --groups 1 --subgroup 8,16,32 --buffer out=zero:32
// verdict: subgroup-dependent out
enable subgroups;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_size) size: u32) {
  out[i] = i / size;
}
