// The activation GELU by tanh.
// judge: --groups 1 --buffer x=f32[0.0,1.0,-1.0] --buffer y=zero:3 --expect y=f32[0.0,0.841192,-0.158808] --tolerance 0.0001
// verdict: clean
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
  let v = x[i];
  y[i] = 0.5 * v * (1.0 + tanh(0.7978845608 * (v + 0.044715 * v * v * v)));
}
