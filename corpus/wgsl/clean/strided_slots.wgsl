// Each invocation fills a slot of three words, three words apart.
// judge: --groups 2 --buffer slots=zero:12 --expect slots=u32[0,1,2,10,11,12,20,21,22,30,31,32]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> slots: array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(global_invocation_id) gid: vec3u) {
  for (var k = 0u; k < 3u; k++) {
    slots[3u * gid.x + k] = 10u * gid.x + k;
  }
}
