// Each invocation reads what another one wrote to the tile, with no barrier between.
// judge: --groups 2 --buffer a=iota:128
// verdict: race tile
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
var<workgroup> tile: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32, @builtin(global_invocation_id) id: vec3u) {
  tile[i] = a[id.x];
  a[id.x] = tile[63u - i];
}
