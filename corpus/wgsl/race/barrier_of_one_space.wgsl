// Memory model, two address spaces: workgroupBarrier orders the tile, and not the buffer that is read behind it.
// judge: --groups 1 --buffer b=zero:4 --buffer out=zero:4
// verdict: race b 11 13
@group(0) @binding(0) var<storage, read_write> b: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
var<workgroup> t: array<u32, 4>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  t[i] = i;
  b[i] = 10u * i;
  workgroupBarrier();
  out[i] = t[3u - i] + b[3u - i];
}
