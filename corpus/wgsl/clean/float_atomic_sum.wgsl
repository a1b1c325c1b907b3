// A sum of quarters as integers: fixed-point addition has one result in every order.
// judge: --groups 1 --buffer terms=f32[100.25,1.0,-100.5,3.25] --buffer sum=zero:1 --expect sum=i32[16]
// verdict: clean
@group(0) @binding(0) var<storage, read> terms: array<f32>;
@group(0) @binding(1) var<storage, read_write> sum: atomic<i32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  atomicAdd(&sum, i32(terms[i] * 4.0));
}
