// Points times a 4x4 matrix: a translation and a scale, exact in f32.
// judge: --groups 1 --buffer m=f32[2.0,0,0,0,0,2.0,0,0,0,0,2.0,0,10.0,20.0,30.0,1.0] --buffer points=f32[1.0,2.0,3.0,1.0,0,0,0,1.0]
// judge: --buffer out=zero:8 --expect out=f32[12.0,24.0,36.0,1.0,10.0,20.0,30.0,1.0]
// verdict: clean
@group(0) @binding(0) var<uniform> m: mat4x4<f32>;
@group(0) @binding(1) var<storage, read> points: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4f>;

@compute @workgroup_size(2)
fn main(@builtin(global_invocation_id) gid: vec3u) {
  out[gid.x] = m * points[gid.x];
}
