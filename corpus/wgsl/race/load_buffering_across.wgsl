// Memory model, load buffering: each loads the word that the other stores behind its own load, between work groups, by plain accesses: they race.
// judge: --groups 2 --buffer m=zero:2 --buffer seen=zero:2
// verdict: race m
@group(0) @binding(0) var<storage, read_write> m: array<u32, 2>;
@group(0) @binding(1) var<storage, read_write> seen: array<u32, 2>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) w: vec3u) {
  if w.x == 0u {
    let a = m[0];
    m[1] = 1u;
    seen[0] = a;
  } else {
    let b = m[1];
    m[0] = 1u;
    seen[1] = b;
  }
}
