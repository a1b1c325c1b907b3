// A binary search that keeps the middle as its lower end, and never leaves an interval of two.
// judge: --groups 1 --buffer sorted=u32[1,3,5,7,9] --buffer at=zero:1
// verdict: never-ends
@group(0) @binding(0) var<storage, read> sorted: array<u32>;
@group(0) @binding(1) var<storage, read_write> at: u32;

@compute @workgroup_size(1)
fn main() {
  var low = 0u;
  var high = arrayLength(&sorted);
  while low < high {
    let middle = (low + high) / 2u;
    if sorted[middle] < 8u {
      low = middle;
    } else {
      high = middle;
    }
  }
  at = low;
}
