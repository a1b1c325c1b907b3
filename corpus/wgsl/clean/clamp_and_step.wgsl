// saturate, step, smoothstep, sign, floor and ceil at exact points.
// judge: --groups 1 --buffer x=f32[-0.5,0.5,1.5] --buffer out=zero:12
// judge: --expect out=f32[0.0,0.0,0.0,-1.0,0.5,1.0,0.5,0.0,1.0,1.0,1.0,1.0]
// verdict: clean
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4f>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
  out[i] = vec4f(saturate(x[i]), step(0.5, x[i]), smoothstep(0.0, 1.0, x[i]), floor(x[i]));
}
