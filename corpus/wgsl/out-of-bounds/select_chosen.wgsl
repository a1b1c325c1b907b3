// The left neighbour of the first element is asked for by a select whose condition has its sides exchanged: it chooses what lies outside.
// judge: --groups 1 --buffer input=u32[1,2,3,4] --buffer out=zero:4
// verdict: out-of-bounds input 9 10
@group(0) @binding(0) var<storage, read> input: array<u32, 4>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  let left = input[i - 1u];
  out[i] = input[i] + select(left, 0u, i > 0u);
}
