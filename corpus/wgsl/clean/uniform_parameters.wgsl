// Parameters in a uniform buffer: a dot product of integers with a stride.
// judge: --groups 1 --buffer params=u32[3,2] --buffer a=iota:6 --buffer dots=zero:1 --expect dots=u32[20]
// verdict: clean
struct Params { count: u32, stride: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<u32>;
@group(0) @binding(2) var<storage, read_write> dots: u32;

@compute @workgroup_size(1)
fn main() {
  var sum = 0u;
  for (var k = 0u; k < params.count; k++) {
    let x = a[k * params.stride];
    sum += x * x;
  }
  dots = sum;
}
