// A discrete Fourier transform of four points by cos and sin.
// judge: --groups 1 --buffer x=f32[1.0,0,-1.0,0] --buffer power=zero:4 --expect power=f32[0,4.0,0,4.0] --tolerance 0.001
// verdict: clean
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> power: array<f32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) k: u32) {
  var sum = vec2f(0.0);
  for (var n = 0u; n < 4u; n++) {
    let angle = 6.2831853 * f32((k * n) % 4u) / 4.0;
    sum += x[n] * vec2f(cos(angle), -sin(angle));
  }
  power[k] = round(dot(sum, sum) * 64.0) / 64.0;
}
