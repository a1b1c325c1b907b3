// The flag is loaded by workgroupUniformLoad: a barrier, and a value that is the same for all.
// judge: --groups 2 --buffer switched=u32[1,0] --buffer sums=u32[0,7] --expect sums=u32[6,7]
// verdict: clean
@group(0) @binding(0) var<storage, read> switched: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;
var<workgroup> on: u32;
var<workgroup> tile: array<u32, 4>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3u) {
  if i == 0u { on = switched[group.x]; }
  if workgroupUniformLoad(&on) == 0u { return; }
  tile[i] = i;
  workgroupBarrier();
  if i == 0u { sums[group.x] = tile[0] + tile[1] + tile[2] + tile[3]; }
}
