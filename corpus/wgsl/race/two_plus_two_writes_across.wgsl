// Memory model, 2+2 writes: both store to two words, in opposite orders, between work groups, by plain accesses: they race.
// judge: --groups 2 --buffer m=zero:2
// verdict: race m
@group(0) @binding(0) var<storage, read_write> m: array<u32, 2>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) w: vec3u) {
  if w.x == 0u {
    m[0] = 1u;
    m[1] = 2u;
  } else {
    m[1] = 1u;
    m[0] = 2u;
  }
}
