// A search whose invocations set a flag atomically.
// judge: --groups 1 --buffer keys=u32[4,7,4,7,4,4] --buffer found=zero:1 --expect found=u32[1]
// verdict: clean
@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> found: atomic<u32>;

@compute @workgroup_size(6)
fn main(@builtin(global_invocation_id) gid: vec3u) {
  if keys[gid.x] == 7u {
    atomicStore(&found, 1u);
  }
}
