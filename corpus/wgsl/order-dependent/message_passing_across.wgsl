// Memory model, message passing: data, then a flag; the reader looks at the flag, then at the data, between work groups, by relaxed atomics: flag seen and data not: (1, 0) is permitted.
// judge: --groups 2 --buffer m=zero:2 --buffer seen=zero:2
// verdict: order-dependent
@group(0) @binding(0) var<storage, read_write> m: array<atomic<u32>, 2>;
@group(0) @binding(1) var<storage, read_write> seen: array<u32, 2>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) w: vec3u) {
  if w.x == 0u {
    atomicStore(&m[0], 1u);
    atomicStore(&m[1], 1u);
  } else {
    let a = atomicLoad(&m[1]);
    let b = atomicLoad(&m[0]);
    seen[0] = a;
    seen[1] = b;
  }
}
