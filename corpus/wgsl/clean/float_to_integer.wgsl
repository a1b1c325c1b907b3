// Conversions of floats that do not fit are clamped: WGSL defines them.
// judge: --groups 1 --buffer x=f32[-3.9,3.9,3e10,-3e10] --buffer out=zero:4 --buffer un=zero:4
// judge: --expect out=i32[-3,3,2147483520,-2147483648] --expect un=u32[0,3,4294967040,0]
// verdict: clean
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;
@group(0) @binding(2) var<storage, read_write> un: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  out[i] = i32(x[i]);
  un[i] = u32(x[i]);
}
