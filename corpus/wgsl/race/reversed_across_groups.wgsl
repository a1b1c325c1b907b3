// An array turned around in place by a whole grid: the barrier orders the buffer within a group only.
// judge: --groups 2 --buffer data=iota:8
// verdict: race data 8 10
@group(0) @binding(0) var<storage, read_write> data: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) gid: vec3u) {
  let mirrored = data[arrayLength(&data) - 1u - gid.x];
  storageBarrier();
  data[gid.x] = mirrored;
}
