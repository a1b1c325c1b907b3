// A helper adds to the cell that it is told: its caller tells two invocations the same one.
// judge: --groups 1 --buffer out=zero:4
// verdict: race cells 8
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> cells: array<u32, 4>;

fn bump(cell: u32, by: u32) {
  cells[cell] += by;
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  bump(i / 2u, i);
  workgroupBarrier();
  out[i] = cells[i];
}
