// Results that are finite, or near one, while what the specification derives them from is none on the way.
// judge: --groups 1 --buffer x=f32[100.0,89.0,1e20,3e38,1e-25] --buffer out=zero:11
// verdict: not-finite 19
// verdict: not-finite 20
// verdict: not-finite 21
// verdict: not-finite 22
// verdict: not-finite 23
// verdict: not-finite 24
// verdict: not-finite 25
// verdict: not-finite 26
// verdict: not-finite 27
// verdict: not-finite 28
// verdict: not-finite 29
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(1)
fn main() {
  out[0] = tanh(x[0]);
  out[1] = cosh(x[1]);
  out[2] = asinh(x[2]);
  out[3] = length(vec2f(x[2]));
  out[4] = dot(vec2f(x[2]), vec2f(x[2], -x[2]));
  out[5] = mix(x[3], -x[3], 3.0);
  out[6] = fma(x[3], 2.0, -x[3]);
  out[7] = x[2] % x[4];
  out[8] = normalize(vec2f(x[4], 0.0)).x;
  out[9] = determinant(mat2x2f(x[2], 1.0, 1.0, x[2]));
  out[10] = reflect(vec2f(x[2]), vec2f(x[2])).x;
}
