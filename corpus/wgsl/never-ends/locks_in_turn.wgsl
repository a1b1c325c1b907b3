// Groups take two locks each, in an order of their own, and wait for the second while they keep the first.
// judge: --groups 2 --buffer locks=zero:2 --buffer sum=zero:1
// verdict: never-ends 10
@group(0) @binding(0) var<storage, read_write> locks: array<atomic<u32>, 2>;
@group(0) @binding(1) var<storage, read_write> sum: atomic<u32>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3u) {
  while atomicExchange(&locks[group.x], 1u) == 1u {}
  while atomicExchange(&locks[1u - group.x], 1u) == 1u {}
  atomicAdd(&sum, 1u);
  atomicStore(&locks[1u - group.x], 0u);
  atomicStore(&locks[group.x], 0u);
}
