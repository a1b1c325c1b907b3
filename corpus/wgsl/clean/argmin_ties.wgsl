// The place of the least key, packed with it into one word: of two equal ones the first place is the least.
// judge: --groups 1 --buffer keys=u32[8,3,9,3] --buffer best=u32[0xffffffff] --expect best=u32[0x301]
// verdict: clean
@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> best: atomic<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  atomicMin(&best, (keys[i] << 8u) | i);
}
