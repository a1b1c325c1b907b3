// Powers and logarithms of exact powers of two: within what WGSL permits of pow.
// judge: --groups 1 --buffer x=f32[2.0,4.0,8.0] --buffer out=zero:3 --expect out=f32[4.0,16.0,64.0] --tolerance 0.0001
// verdict: clean
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
  out[i] = pow(x[i], 2.0);
}
