// Each invocation fills a slot of three words, but slots lie two words apart.
// judge: --groups 2 --buffer slots=zero:12
// verdict: race slots 9
@group(0) @binding(0) var<storage, read_write> slots: array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(global_invocation_id) gid: vec3u) {
  for (var k = 0u; k < 3u; k++) {
    slots[2u * gid.x + k] = 10u * gid.x + k;
  }
}
