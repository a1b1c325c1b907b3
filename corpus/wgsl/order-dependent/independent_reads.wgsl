// Memory model, independent reads of independent writes: two readers may disagree about which word was stored first.
// judge: --groups 4 --buffer m=zero:2 --buffer seen=zero:4
// verdict: order-dependent seen
@group(0) @binding(0) var<storage, read_write> m: array<atomic<u32>, 2>;
@group(0) @binding(1) var<storage, read_write> seen: array<u32, 4>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) w: vec3u) {
  switch w.x {
    case 0u, 1u: { atomicStore(&m[w.x], 1u); }
    case 2u: {
      seen[0] = atomicLoad(&m[0]);
      seen[1] = atomicLoad(&m[1]);
    }
    default: {
      seen[2] = atomicLoad(&m[1]);
      seen[3] = atomicLoad(&m[0]);
    }
  }
}
