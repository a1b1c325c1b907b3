// A sieve with a bit for each number, set by atomicOr.
// judge: --groups 1 --buffer composite=zero:1 --expect composite=u32[1872]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> composite: atomic<u32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  let prime = lid + 2u;
  for (var n = 2u * prime; n < 11u; n += prime) {
    atomicOr(&composite, 1u << n);
  }
}
