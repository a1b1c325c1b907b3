// Euclid by remainders ends with a zero.
// judge: --groups 1 --buffer pairs=u32[12,18,7,0] --buffer gcds=zero:2 --expect gcds=u32[6,7]
// verdict: clean
@group(0) @binding(0) var<storage, read> pairs: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> gcds: array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  var p = pairs[i];
  while p.y != 0u {
    p = vec2u(p.y, p.x % p.y);
  }
  gcds[i] = p.x;
}
