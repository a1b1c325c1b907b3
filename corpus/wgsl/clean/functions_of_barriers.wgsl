// The built-in functions of WGSL that synchronize a work group, with what each of them orders.
// judge: --groups 2 --buffer data=iota:8 --buffer sums=zero:8 --buffer out=zero:8
// judge: --expect sums=u32[3,4,5,6,19,20,21,22] --expect out=u32[6,5,4,3,22,21,20,19]
// verdict: clean
@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, 4>;
var<workgroup> total: u32;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3u) {
  let base = 4u * group.x;
  tile[i] = data[base + i];
  workgroupBarrier();
  if i == 0u { total = tile[0] + tile[1] + tile[2] + tile[3]; }
  let sum = workgroupUniformLoad(&total);
  sums[base + 3u - i] = sum - i;
  storageBarrier();
  out[base + i] = sums[base + 3u - i];
  textureBarrier();
}
