// Memory model, coherence of writes: one stores twice to a word, the other looks twice, between work groups, by relaxed atomics: two is never seen before one.
// judge: --groups 2 --buffer m=zero:2 --buffer seen=zero:2
// verdict: order-dependent
@group(0) @binding(0) var<storage, read_write> m: array<atomic<u32>, 2>;
@group(0) @binding(1) var<storage, read_write> seen: array<u32, 2>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) w: vec3u) {
  if w.x == 0u {
    atomicStore(&m[0], 1u);
    atomicStore(&m[0], 2u);
  } else {
    let a = atomicLoad(&m[0]);
    let b = atomicLoad(&m[0]);
    seen[0] = a;
    seen[1] = b;
  }
}
