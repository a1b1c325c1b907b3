// An array turned around in place by a whole grid: an invocation exchanges a pair that nobody else touches.
// judge: --groups 2 --buffer data=iota:8 --expect data=u32[7,6,5,4,3,2,1,0]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> data: array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(global_invocation_id) gid: vec3u) {
  let mirror = arrayLength(&data) - 1u - gid.x;
  let low = data[gid.x];
  data[gid.x] = data[mirror];
  data[mirror] = low;
}
