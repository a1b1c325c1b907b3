// Memory model, load buffering: each loads the word that the other stores behind its own load, between work groups, by relaxed atomics: both may see one.
// judge: --groups 2 --buffer m=zero:2 --buffer seen=zero:2
// verdict: order-dependent
@group(0) @binding(0) var<storage, read_write> m: array<atomic<u32>, 2>;
@group(0) @binding(1) var<storage, read_write> seen: array<u32, 2>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) w: vec3u) {
  if w.x == 0u {
    let a = atomicLoad(&m[0]);
    atomicStore(&m[1], 1u);
    seen[0] = a;
  } else {
    let b = atomicLoad(&m[1]);
    atomicStore(&m[0], 1u);
    seen[1] = b;
  }
}
