// A signed number is shifted to the right by 40, which is a shift by 8 in WGSL.
// judge: --groups 1 --buffer x=i32[-512] --buffer by=u32[40] --buffer out=zero:1 --expect out=i32[-2]
// verdict: translator 10
@group(0) @binding(0) var<storage, read> x: i32;
@group(0) @binding(1) var<storage, read> by: u32;
@group(0) @binding(2) var<storage, read_write> out: i32;

@compute @workgroup_size(1)
fn main() {
  out = x >> by;
}
