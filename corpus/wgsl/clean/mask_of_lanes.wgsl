// A mask of as many lanes as there are, by a shift to the right of ones, for one lane at least.
// judge: --groups 1 --buffer lanes=u32[5,32] --buffer masks=zero:2 --expect masks=u32[31,0xffffffff]
// verdict: clean
@group(0) @binding(0) var<storage, read> lanes: array<u32>;
@group(0) @binding(1) var<storage, read_write> masks: array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  masks[i] = 0xffffffffu >> (32u - clamp(lanes[i], 1u, 32u));
}
