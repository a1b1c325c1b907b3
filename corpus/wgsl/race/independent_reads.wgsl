// Memory model, independent reads of independent writes, all of them plain.
// judge: --groups 3 --buffer m=zero:1 --buffer seen=zero:2
// verdict: race m 10 12
@group(0) @binding(0) var<storage, read_write> m: u32;
@group(0) @binding(1) var<storage, read_write> seen: array<u32, 2>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) w: vec3u) {
  if w.x == 0u {
    m = 1u;
  } else {
    seen[w.x - 1u] = m;
  }
}
