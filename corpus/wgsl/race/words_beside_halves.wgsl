// Where some numbers have 16 bits, a store to a component of a vector of words is an access of the vector too.
// judge: --groups 1 --buffer q=zero:4 --buffer h=zero:2
// verdict: race q
enable f16;
@group(0) @binding(0) var<storage, read_write> q: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> h: array<f16>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
  h[i] = f16(i);
  if i == 0u { q[0].x = 1u; }
  if i == 3u { q[0].w = 2u; }
}
