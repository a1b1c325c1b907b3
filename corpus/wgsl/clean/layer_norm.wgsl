// Layer normalization: mean and variance of a row, and inverseSqrt.
// judge: --groups 1 --buffer row=f32[1.0,3.0,5.0,7.0] --buffer out=zero:4
// judge: --expect out=f32[-1.3416408,-0.4472136,0.4472136,1.3416408] --tolerance 0.00001
// verdict: clean
@group(0) @binding(0) var<storage, read> row: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4f>;

@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) gid: vec3u) {
  let x = row[gid.x];
  let mean = dot(x, vec4f(0.25));
  let d = x - mean;
  out[gid.x] = d * inverseSqrt(dot(d, d) / 4.0);
}
