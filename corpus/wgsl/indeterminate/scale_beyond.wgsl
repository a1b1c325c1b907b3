// A number is scaled by a power of two that no f32 holds: WGSL has no value for that, whatever the product is.
// judge: --groups 1 --buffer number=f32[1e-30] --buffer exponent=i32[140] --buffer scaled=zero:1
// verdict: indeterminate 10
@group(0) @binding(0) var<storage, read> number: f32;
@group(0) @binding(1) var<storage, read> exponent: i32;
@group(0) @binding(2) var<storage, read_write> scaled: f32;

@compute @workgroup_size(1)
fn main() {
  scaled = ldexp(number, exponent);
}
