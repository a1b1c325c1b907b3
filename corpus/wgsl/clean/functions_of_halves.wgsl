// The built-in functions of WGSL that take floats, of f16. frexp is not among them: naga mistranslates it.
// judge: --groups 1 --buffer x=f16[0.5,1.5,-2.25,3] --buffer wide=f32[0.1] --buffer out=zero:27
// judge: --expect out=f16[2.25,1.046875,0.96240234,0.5234375,1.1943359,0.98291016,0.5493164,2.9238281,2,-0.5,0.8774414,1.1279297,28.640625,4.4804688,2.828125,-3,3.75,0.75,0.57714844,1.0986328,1.5849609,1.5,-2.25,2.25,-0.25,-2,3.375,0.052368164,2,0,-1,0.4794922,0.5209961,0.15625,1.7324219,1,0.5463867,0.4621582,-2,12,3.375,5,1.5,3.375,0.60009766,-0.5,-1.5,-1,4.875,-2.25,15,1.5,0.099975586,0]
// verdict: clean
enable f16;
@group(0) @binding(0) var<storage, read> x: array<f16, 4>;
@group(0) @binding(1) var<storage, read> wide: f32;
@group(0) @binding(2) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(1)
fn main() {
  let a = x[0];
  let b = x[1];
  let c = x[2];
  let d = x[3];
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
  out[18] = inverseSqrt(d);
  out[19] = log(d);
  out[20] = log2(d);
  out[21] = max(b, c);
  out[22] = min(b, c);
  out[23] = mix(b, d, a);
  out[24] = modf(c).fract;
  out[25] = modf(c).whole;
  out[26] = pow(b, d);
  out[27] = radians(d);
  out[28] = round(b);
  out[29] = saturate(c);
  out[30] = sign(c);
  out[31] = sin(a);
  out[32] = sinh(a);
  out[33] = smoothstep(a, b, 0.75h);
  out[34] = sqrt(d);
  out[35] = step(b, d);
  out[36] = tan(a);
  out[37] = tanh(a);
  out[38] = trunc(c);
  out[39] = ldexp(b, 3);
  out[40] = dot(vec2h(a, b), vec2h(c, d));
  out[41] = length(vec2h(d, 4.0h));
  out[42] = distance(vec2h(a, b), vec2h(a, d));
  out[43] = cross(vec3h(a, b, c), vec3h(d, a, b)).x;
  out[44] = normalize(vec2h(d, 4.0h)).x;
  out[45] = faceForward(vec2h(a, b), vec2h(c, d), vec2h(b, b)).x;
  out[46] = reflect(vec2h(a, b), vec2h(0.0h, 1.0h)).y;
  out[47] = refract(vec2h(0.0h, -1.0h), vec2h(0.0h, 1.0h), a).y;
  out[48] = determinant(mat2x2h(a, b, c, d));
  out[49] = transpose(mat2x2h(a, b, c, d))[0].y;
  out[50] = (mat2x2h(a, b, c, d) * vec2h(2.0h, 4.0h)).y;
  out[51] = select(a, b, d > c);
  out[52] = f16(wide);
  out[53] = 0.0h;
}
