// Each invocation has vectors of its own.
// judge: --groups 1 --buffer q=zero:8 --expect q=f16[1,0,0,0,1,0,0,1,1,0,0,2,1,0,0,3]
// verdict: clean
enable f16;
@group(0) @binding(0) var<storage, read_write> q: array<vec4h>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
  q[i].x = 1h;
  q[i].w = f16(i);
}
