// A loop loads the element of the next round in advance, also in the last round.
// judge: --groups 1 --buffer input=u32[3,1,2] --buffer sum=zero:1 --expect sum=u32[6]
// verdict: discarded-read 13
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> sum: u32;

@compute @workgroup_size(1)
fn main() {
  var total = 0u;
  var next = input[0];
  for (var i = 1u; i <= arrayLength(&input); i++) {
    total += next;
    next = input[i];
  }
  sum = total;
}
