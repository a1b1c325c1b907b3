// A transpose of a 4x4 matrix through a tile of work-group memory.
// judge: --groups 1 --buffer src=iota:16 --buffer dst=zero:16 --expect dst=u32[0,4,8,12,1,5,9,13,2,6,10,14,3,7,11,15]
// verdict: clean
@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read_write> dst: array<u32>;
var<workgroup> tile: array<array<u32, 5>, 4>;

@compute @workgroup_size(4, 4)
fn main(@builtin(local_invocation_id) lid: vec3u) {
  tile[lid.y][lid.x] = src[lid.y * 4u + lid.x];
  workgroupBarrier();
  dst[lid.y * 4u + lid.x] = tile[lid.x][lid.y];
}
