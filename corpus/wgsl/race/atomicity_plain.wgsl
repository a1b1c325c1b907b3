// Memory model, atomicity: a plain step of a shared word by all groups.
// judge: --groups 2 --buffer count=zero:1
// verdict: race count 8
@group(0) @binding(0) var<storage, read_write> count: u32;

@compute @workgroup_size(1)
fn main() {
  count++;
}
