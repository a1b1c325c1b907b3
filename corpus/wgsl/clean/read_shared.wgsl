// Memory model, reads only: all invocations read one word, which nobody writes.
// judge: --groups 2 --buffer scale=u32[3] --buffer a=iota:4 --expect a=u32[0,3,6,9]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> scale: u32;
@group(0) @binding(1) var<storage, read_write> a: array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(global_invocation_id) gid: vec3u) {
  a[gid.x] *= scale;
}
