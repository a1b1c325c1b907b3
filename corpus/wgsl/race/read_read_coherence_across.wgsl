// Memory model, coherence of reads: one stores, the other loads the word twice, between work groups, by plain accesses: they race.
// judge: --groups 2 --buffer m=zero:2 --buffer seen=zero:2
// verdict: race m
@group(0) @binding(0) var<storage, read_write> m: array<u32, 2>;
@group(0) @binding(1) var<storage, read_write> seen: array<u32, 2>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) w: vec3u) {
  if w.x == 0u {
    m[0] = 1u;
  } else {
    let a = m[0];
    let b = m[0];
    seen[0] = a;
    seen[1] = b;
  }
}
