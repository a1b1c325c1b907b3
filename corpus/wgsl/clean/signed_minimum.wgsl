// The minimum of signed numbers in a signed atomic.
// judge: --groups 1 --buffer input=i32[3,-2,5] --buffer least=i32[2147483647] --expect least=i32[-2]
// verdict: clean
@group(0) @binding(0) var<storage, read> input: array<i32>;
@group(0) @binding(1) var<storage, read_write> least: atomic<i32>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
  atomicMin(&least, input[i]);
}
