// Memory model, 2+2 writes: both store to two words, in opposite orders, between work groups, by relaxed atomics: which store comes last is open in each word.
// judge: --groups 2 --buffer m=zero:2
// verdict: order-dependent
@group(0) @binding(0) var<storage, read_write> m: array<atomic<u32>, 2>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) w: vec3u) {
  if w.x == 0u {
    atomicStore(&m[0], 1u);
    atomicStore(&m[1], 2u);
  } else {
    atomicStore(&m[1], 1u);
    atomicStore(&m[0], 2u);
  }
}
