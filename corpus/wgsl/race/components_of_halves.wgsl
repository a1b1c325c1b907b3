// A store to a component of a vector of halves is an access of the vector.
// judge: --groups 1 --buffer q=zero:2
// verdict: race q
enable f16;
@group(0) @binding(0) var<storage, read_write> q: array<vec4h>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
  if i == 0u { q[0].x = 1h; }
  if i == 3u { q[0].w = 2h; }
}
