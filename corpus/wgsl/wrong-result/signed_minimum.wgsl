// The minimum of signed numbers, kept in an unsigned atomic: negative numbers are the greatest there.
// judge: --groups 1 --buffer input=i32[3,-2,5] --buffer least=u32[2147483647] --expect least=i32[-2]
// verdict: wrong-result
@group(0) @binding(0) var<storage, read> input: array<i32>;
@group(0) @binding(1) var<storage, read_write> least: atomic<u32>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
  atomicMin(&least, bitcast<u32>(input[i]));
}
