// Euclid by subtraction: with a zero, it takes away nothing for ever.
// judge: --groups 1 --buffer pairs=u32[12,18,7,0] --buffer gcds=zero:2
// verdict: never-ends
@group(0) @binding(0) var<storage, read> pairs: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> gcds: array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  var p = pairs[i];
  while p.x != p.y {
    if p.x > p.y { p.x -= p.y; } else { p.y -= p.x; }
  }
  gcds[i] = p.x;
}
