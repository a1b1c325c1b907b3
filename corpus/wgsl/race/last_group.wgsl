// The sum of a grid by the group that comes last to a counter: relaxed atomics do not order the partial sums that it reads.
// judge: --groups 4 --buffer input=iota:16 --buffer partial=zero:4 --buffer done=zero:1 --buffer total=zero:1
// verdict: race partial 13 16
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> partial: array<u32, 4>;
@group(0) @binding(2) var<storage, read_write> done: atomic<u32>;
@group(0) @binding(3) var<storage, read_write> total: u32;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) wid: vec3u) {
  var sum = 0u;
  for (var k = 0u; k < 4u; k++) { sum += input[wid.x * 4u + k]; }
  partial[wid.x] = sum;
  storageBarrier();
  if atomicAdd(&done, 1u) == 3u {
    total = partial[0] + partial[1] + partial[2] + partial[3];
  }
}
