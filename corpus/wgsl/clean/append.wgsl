// A list of the even numbers in their order: a prefix sum over the predicate gives the places.
// judge: --groups 1 --buffer input=u32[4,1,8,3,6,2,5,7] --buffer evens=zero:4 --expect evens=u32[4,8,6,2]
// verdict: clean
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> evens: array<u32>;
var<workgroup> kept: array<u32, 8>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
  let x = input[i];
  kept[i] = 1u - x % 2u;
  workgroupBarrier();
  var at = 0u;
  for (var k = 0u; k < i; k++) { at += kept[k]; }
  if kept[i] == 1u {
    evens[at] = x;
  }
}
