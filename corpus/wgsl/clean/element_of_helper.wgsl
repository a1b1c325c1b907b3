// A helper with a pointer to its own memory, and a cell of the group for each invocation.
// judge: --groups 1 --buffer out=zero:4 --expect out=u32[3,4,5,6]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> cells: array<u32, 4>;

fn twice(x: ptr<function, u32>) {
  *x += 1u;
  *x += 1u;
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  var own = i + 1u;
  twice(&own);
  cells[3u - i] = 9u - own;
  workgroupBarrier();
  out[i] = cells[i];
}
