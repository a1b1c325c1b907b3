// The numeric built-in functions of WGSL, component by component of vectors.
// judge: --groups 1 --buffer x=f32[0.5,0.25,0.75,0,1.5,2,2.5,0,-2.25,0.5,3.5,0] --buffer out=zero:176
// judge: --expect out=f32[2.25,0.5,3.5,0,1.0471976,1.3181161,0.7227343,0,0.9624236,1.316958,1.5667993,0,0.5235988,0.25268024,0.8480621,0,-1.5501579,0.4812118,1.9657204,0,-1.152572,0.4636476,1.2924967,0,0.54930615,0.25541282,0.97295505,0,2.9229238,0.4636476,0.21109334,0,-2,1,4,0,0.5,0.5,2.5,0,0.87758255,0.9689124,0.73168886,0,1.127626,1.0314131,1.2946833,0,28.64789,14.323945,42.971836,0,0.10539922,1.6487212,33.11545,0,0.2102241,1.4142135,11.313708,0,-3,0,3,0,-1.5,1,5.375,0,0.75,0.5,0.5,0,-0.5625,0.5,0.875,0,2,0,2,0,0.8164966,0.70710677,0.6324555,0,-4.5,0.25,56,0,0.4054651,0.6931472,0.91629076,0,0.5849625,1,1.3219281,0,1.5,2,3.5,0,-2.25,0.5,2.5,0,-0.375,1.625,3.25,0,-0.375,1.25,3,0,-0.25,0.5,0.5,0,-2,0,3,0,0.4016009,1.4142135,24.705294,0,0.5,0.25,0.75,0,-0.03926991,0.008726646,0.061086524,0,-2,0,4,0,0,0.5,1,0,-1,1,1,0,0.47942555,0.24740396,0.6816388,0,0.5210953,0.25261232,0.8223167,0,0.5,0.393586,0.055393588,0,1.2247449,1.4142135,1.5811388,0,0,0,1,0,0.5463025,0.25534192,0.93159646,0,0.46211717,0.24491866,0.63514894,0,-2,0,3,0]
// verdict: clean
@group(0) @binding(0) var<storage, read> x: array<vec3f>;
@group(0) @binding(1) var<storage, read_write> out: array<vec3f>;

@compute @workgroup_size(1)
fn main() {
  let a = x[0];
  let b = x[1];
  let c = x[2];
  out[0] = abs(c);
  out[1] = acos(a);
  out[2] = acosh(b);
  out[3] = asin(a);
  out[4] = asinh(c);
  out[5] = atan(c);
  out[6] = atanh(a);
  out[7] = atan2(a, c);
  out[8] = ceil(c);
  out[9] = clamp(c, a, b);
  out[10] = cos(a);
  out[11] = cosh(a);
  out[12] = degrees(a);
  out[13] = exp(c);
  out[14] = exp2(c);
  out[15] = floor(c);
  out[16] = fma(a, b, c);
  out[17] = fract(c);
  out[18] = frexp(c).fract;
  out[19] = vec3f(frexp(c).exp);
  out[20] = inverseSqrt(b);
  out[21] = ldexp(c, vec3i(1, -1, 4));
  out[22] = log(b);
  out[23] = log2(b);
  out[24] = max(b, c);
  out[25] = min(b, c);
  out[26] = mix(b, c, a);
  out[27] = mix(b, c, 0.5);
  out[28] = modf(c).fract;
  out[29] = modf(c).whole;
  out[30] = pow(b, c);
  out[31] = quantizeToF16(a);
  out[32] = radians(c);
  out[33] = round(c);
  out[34] = saturate(c);
  out[35] = sign(c);
  out[36] = sin(a);
  out[37] = sinh(a);
  out[38] = smoothstep(a, b, vec3f(1));
  out[39] = sqrt(b);
  out[40] = step(b, c);
  out[41] = tan(a);
  out[42] = tanh(a);
  out[43] = trunc(c);
}
