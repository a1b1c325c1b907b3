// Columns of a table in nine storage buffers, where eight are promised.
// judge: --groups 1 --buffer a=u32[1] --buffer b=u32[2] --buffer c=u32[3] --buffer d=u32[4] --buffer e=u32[5]
// judge: --buffer f=u32[6] --buffer g=u32[7] --buffer h=u32[8] --buffer sum=zero:1 --expect sum=u32[36]
// verdict: limits
@group(0) @binding(0) var<storage, read> a: u32;
@group(0) @binding(1) var<storage, read> b: u32;
@group(0) @binding(2) var<storage, read> c: u32;
@group(0) @binding(3) var<storage, read> d: u32;
@group(0) @binding(4) var<storage, read> e: u32;
@group(0) @binding(5) var<storage, read> f: u32;
@group(0) @binding(6) var<storage, read> g: u32;
@group(0) @binding(7) var<storage, read> h: u32;
@group(0) @binding(8) var<storage, read_write> sum: u32;

@compute @workgroup_size(1)
fn main() {
  sum = a + b + c + d + e + f + g + h;
}
