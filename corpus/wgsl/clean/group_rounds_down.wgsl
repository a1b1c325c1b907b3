// A grid-stride copy: each invocation goes on until it is behind the end.
// judge: --groups 2 --buffer src=u32[1,2,3,4,5,6] --buffer dst=zero:6 --expect dst=u32[1,2,3,4,5,6]
// verdict: clean
@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read_write> dst: array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(global_invocation_id) gid: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let stride = 2u * groups.x;
  for (var i = gid.x; i < arrayLength(&src); i += stride) {
    dst[i] = src[i];
  }
}
