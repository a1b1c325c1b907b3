// A buffer of f16: two elements share a word, and are locations of their own.
// judge: --groups 1 --buffer h=u32[0x40003c00,0x44004200] --expect h=u32[0x44004000,0x48004600]
// verdict: clean
enable f16;
@group(0) @binding(0) var<storage, read_write> h: array<f16>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  h[i] = h[i] + h[i];
}
