// A list of the even numbers, each at the place that a counter gives: their order is open.
// judge: --groups 2 --buffer input=u32[4,1,8,3,6,2,5,7] --buffer count=zero:1 --buffer evens=zero:4
// verdict: order-dependent evens
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> count: atomic<u32>;
@group(0) @binding(2) var<storage, read_write> evens: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) gid: vec3u) {
  let x = input[gid.x];
  if x % 2u == 0u {
    evens[atomicAdd(&count, 1u)] = x;
  }
}
