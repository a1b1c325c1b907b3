// A search sets a flag by a plain store: all invocations that find the key write 1 to one word.
// judge: --groups 1 --buffer keys=u32[4,7,4,7,4,4] --buffer found=zero:1
// verdict: same-value found 10
@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> found: u32;

@compute @workgroup_size(6)
fn main(@builtin(global_invocation_id) gid: vec3u) {
  if keys[gid.x] == 7u {
    found = 1u;
  }
}
