// A loop that counts in its continuing part.
// judge: --groups 1 --buffer input=u32[4,0,2] --buffer sum=zero:1 --expect sum=u32[75]
// verdict: clean
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> sum: u32;

@compute @workgroup_size(1)
fn main() {
  var i = 0u;
  var inverse_sum = 0u;
  loop {
    if i >= arrayLength(&input) { break; }
    if input[i] == 0u { continue; }
    inverse_sum += 100u / input[i];
    continuing { i++; }
  }
  sum = inverse_sum;
}
