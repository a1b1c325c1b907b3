// Memory model, store buffering: each stores to its own word and loads that of the other, between work groups, by relaxed atomics: both may see zero.
// judge: --groups 2 --buffer m=zero:2 --buffer seen=zero:2
// verdict: order-dependent
@group(0) @binding(0) var<storage, read_write> m: array<atomic<u32>, 2>;
@group(0) @binding(1) var<storage, read_write> seen: array<u32, 2>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) w: vec3u) {
  if w.x == 0u {
    atomicStore(&m[0], 1u);
    let a = atomicLoad(&m[1]);
    seen[0] = a;
  } else {
    atomicStore(&m[1], 1u);
    let b = atomicLoad(&m[0]);
    seen[1] = b;
  }
}
