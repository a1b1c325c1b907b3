// A product of matrices by tiles: the barrier behind the use of a tile is missing, so the next tile is loaded over it.
// judge: --groups 2,2 --buffer a=iota:16 --buffer b=iota:16 --buffer c=zero:16
// verdict: race tile_b 15 18
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> c: array<u32>;
var<workgroup> tile_a: array<array<u32, 2>, 2>;
var<workgroup> tile_b: array<array<u32, 2>, 2>;

@compute @workgroup_size(2, 2)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) l: vec3u) {
  var sum = 0u;
  for (var t = 0u; t < 2u; t++) {
    tile_a[l.y][l.x] = a[id.y * 4u + t * 2u + l.x];
    tile_b[l.y][l.x] = b[(t * 2u + l.y) * 4u + id.x];
    workgroupBarrier();
    for (var k = 0u; k < 2u; k++) {
      sum += tile_a[l.y][k] * tile_b[k][l.x];
    }
  }
  c[id.y * 4u + id.x] = sum;
}
