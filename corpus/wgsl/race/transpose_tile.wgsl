// A transpose through a tile of work-group memory, with no barrier between the load and the turned read.
// judge: --groups 1 --buffer src=iota:16 --buffer dst=zero:16
// verdict: race tile 10 11
@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read_write> dst: array<u32>;
var<workgroup> tile: array<array<u32, 5>, 4>;

@compute @workgroup_size(4, 4)
fn main(@builtin(local_invocation_id) lid: vec3u) {
  tile[lid.y][lid.x] = src[lid.y * 4u + lid.x];
  dst[lid.y * 4u + lid.x] = tile[lid.x][lid.y];
}
