// The numeric built-in functions of WGSL, of floats.
// judge: --groups 1 --buffer x=f32[0.5,1.5,-2.25,3,0.1] --buffer out=zero:43
// judge: --expect out=f32[2.25,1.0471976,0.9624236,0.5235988,1.1947632,0.98279375,0.54930615,2.9229238,2,-0.5,0.87758255,1.127626,28.64789,4.481689,2.828427,-3,3.75,0.75,0.75,2,0.57735026,12,1.0986123,1.5849625,1.5,-2.25,2.25,-0.25,-2,3.375,0.099975586,0.05235988,2,0,-1,0.47942555,0.5210953,0.15625,1.7320508,1,0.5463025,0.46211717,-2]
// verdict: clean
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(1)
fn main() {
  let a = x[0];
  let b = x[1];
  let c = x[2];
  let d = x[3];
  let e = x[4];
  out[0] = abs(c);
  out[1] = acos(a);
  out[2] = acosh(b);
  out[3] = asin(a);
  out[4] = asinh(b);
  out[5] = atan(b);
  out[6] = atanh(a);
  out[7] = atan2(a, c);
  out[8] = ceil(b);
  out[9] = clamp(c, -a, a);
  out[10] = cos(a);
  out[11] = cosh(a);
  out[12] = degrees(a);
  out[13] = exp(b);
  out[14] = exp2(b);
  out[15] = floor(c);
  out[16] = fma(a, b, d);
  out[17] = fract(c);
  out[18] = frexp(d).fract;
  out[19] = f32(frexp(d).exp);
  out[20] = inverseSqrt(d);
  out[21] = ldexp(b, 3);
  out[22] = log(d);
  out[23] = log2(d);
  out[24] = max(b, c);
  out[25] = min(b, c);
  out[26] = mix(b, d, a);
  out[27] = modf(c).fract;
  out[28] = modf(c).whole;
  out[29] = pow(b, d);
  out[30] = quantizeToF16(e);
  out[31] = radians(d);
  out[32] = round(b);
  out[33] = saturate(c);
  out[34] = sign(c);
  out[35] = sin(a);
  out[36] = sinh(a);
  out[37] = smoothstep(a, b, 0.75);
  out[38] = sqrt(d);
  out[39] = step(b, d);
  out[40] = tan(a);
  out[41] = tanh(a);
  out[42] = trunc(c);
}
