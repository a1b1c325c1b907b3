// Functions outside of their domains, where IEEE 754 has an infinity or NaN, or where a power is computed by a logarithm.
// judge: --groups 1 --buffer x=f32[0.0,-1.0,-2.0,1.0,0.5] --buffer out=zero:11
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
  out[0] = log(x[1]);
  out[1] = log2(x[0]);
  out[2] = inverseSqrt(x[0]);
  out[3] = sqrt(x[1]);
  out[4] = acos(x[2]);
  out[5] = asin(x[2]);
  out[6] = acosh(x[4]);
  out[7] = atanh(x[3]);
  out[8] = pow(x[2], 2.0);
  out[9] = pow(x[0], x[0]);
  out[10] = pow(x[0], x[1]);
}
