// A product of 4x4 matrices by tiles of 2x2 in work-group memory.
// judge: --groups 2,2 --buffer a=iota:16 --buffer b=iota:16 --buffer c=zero:16 --expect c=u32[56,62,68,74,152,174,196,218,248,286,324,362,344,398,452,506]
// verdict: clean
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
    workgroupBarrier();
  }
  c[id.y * 4u + id.x] = sum;
}
