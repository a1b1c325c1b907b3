// A gather by indices that come from a buffer, one of which is too large.
// judge: --groups 1 --buffer indices=u32[2,0,3,1] --buffer values=u32[10,11,12] --buffer out=zero:4
// verdict: out-of-bounds 10
@group(0) @binding(0) var<storage, read> indices: array<u32>;
@group(0) @binding(1) var<storage, read> values: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  out[i] = values[indices[i]];
}
