// Built-in functions of WGSL where devices differ most: near the ends of domains, near zero, and where terms cancel.
// judge: --groups 1 --buffer x=f32[0.9999,1.0001,0.01,0.3,7.3,-0.0001] --buffer out=zero:13
// judge: --expect out=f32[1.5566529,0.014143427,0.000100011595,0.00014428623,1.0725169,0.010000333,-0.0001,-0.0001,-0.0001,0.85043675,-0.008000055,0.4005926,0.01]
// verdict: clean
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(1)
fn main() {
  out[0] = asin(x[0]);
  out[1] = acos(x[0]);
  out[2] = log(x[1]);
  out[3] = log2(x[1]);
  out[4] = pow(x[1], 700.0);
  out[5] = tan(x[2]);
  out[6] = asinh(x[5]);
  out[7] = sinh(x[5]);
  out[8] = tanh(x[5]);
  out[9] = sin(x[4]);
  out[10] = reflect(vec2f(1.0, x[3]), vec2f(0.6, 0.8)).x;
  out[11] = smoothstep(-1.0, 2.0, x[3]);
  out[12] = dot(vec3f(x[4], -x[4], x[2]), vec3f(x[3], x[3], 1.0));
}
