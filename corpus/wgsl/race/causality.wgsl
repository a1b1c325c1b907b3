// Memory model, write-to-read causality: a flag goes from group to group by atomics, and plain data does not go with it.
// judge: --groups 3 --orders 64 --buffer data=zero:1 --buffer flags=zero:2 --buffer seen=zero:1
// verdict: race data 11 16
@group(0) @binding(0) var<storage, read_write> data: u32;
@group(0) @binding(1) var<storage, read_write> flags: array<atomic<u32>, 2>;
@group(0) @binding(2) var<storage, read_write> seen: u32;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) w: vec3u) {
  if w.x == 0u {
    data = 5u;
    atomicStore(&flags[0], 1u);
  } else if w.x == 1u {
    if atomicLoad(&flags[0]) == 1u { atomicStore(&flags[1], 1u); }
  } else if atomicLoad(&flags[1]) == 1u {
    seen = data;
  }
}
