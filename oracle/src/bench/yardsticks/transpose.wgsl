// Transposes a matrix whose sides are multiples of 16: a tile a work group, in rows of 17 words, so that the lanes of a
// column are in different banks.
@group(0) @binding(0) var<storage, read> input: array<i32>;
@group(0) @binding(1) var<storage, read_write> output: array<i32>;
// Columns and rows of the input.
@group(0) @binding(2) var<storage, read> sizes: vec2<u32>;

var<workgroup> tile: array<i32, 272>;

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let own = group.xy * 16u + local.xy;
  tile[local.y * 17u + local.x] = input[own.y * sizes.x + own.x];
  workgroupBarrier();
  let turned = group.yx * 16u + local.xy;
  output[turned.y * sizes.y + turned.x] = tile[local.x * 17u + local.y];
}
