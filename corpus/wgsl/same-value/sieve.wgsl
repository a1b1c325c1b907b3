// A sieve: six is struck out for two and for three, by one value and two invocations.
// judge: --groups 1 --buffer composite=zero:10
// verdict: same-value composite[6] 10
@group(0) @binding(0) var<storage, read_write> composite: array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  let prime = lid + 2u;
  for (var n = 2u * prime; n < arrayLength(&composite); n += prime) {
    composite[n] = 1u;
  }
}
