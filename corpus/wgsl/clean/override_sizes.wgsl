// A tile whose size is a constant of the pipeline.
// judge: --groups 1 --constant WIDTH=4 --buffer out=zero:4 --expect out=u32[3,2,1,0]
// verdict: clean
override WIDTH: u32 = 8u;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, WIDTH>;

@compute @workgroup_size(WIDTH)
fn main(@builtin(local_invocation_index) i: u32) {
  tile[i] = i;
  workgroupBarrier();
  out[i] = tile[WIDTH - 1u - i];
}
