// Integer arithmetic that WGSL defines everywhere: wrapping, division by zero, the least number through -1.
// judge: --groups 1 --buffer a=i32[-2147483648,-1,0,7] --buffer out=zero:6
// judge: --expect out=i32[-2147483648,0,7,0,2147483647,-2147483648]
// verdict: clean
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(1)
fn main() {
  out[0] = a[0] / a[1];
  out[1] = a[0] % a[1];
  out[2] = a[3] / a[2];
  out[3] = a[3] % a[2];
  out[4] = a[0] + a[1];
  out[5] = abs(a[0]);
}
