// A work group of 512 invocations, where 256 are promised.
// judge: --groups 1 --orders 2 --buffer out=zero:512
// verdict: limits
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(512)
fn main(@builtin(local_invocation_index) i: u32) {
  out[i] = i;
}
