// Groups take two locks each, all in one order: none waits for ever, if each is let on.
// judge: --groups 2 --buffer locks=zero:2 --buffer sum=zero:1 --expect sum=u32[2]
// verdict: needs-progress 9
@group(0) @binding(0) var<storage, read_write> locks: array<atomic<u32>, 2>;
@group(0) @binding(1) var<storage, read_write> sum: atomic<u32>;

@compute @workgroup_size(1)
fn main() {
  while atomicExchange(&locks[0], 1u) == 1u {}
  while atomicExchange(&locks[1], 1u) == 1u {}
  atomicAdd(&sum, 1u);
  atomicStore(&locks[1], 0u);
  atomicStore(&locks[0], 0u);
}
