// Memory model, atomicity: additions of all groups to one word, none of which is lost.
// judge: --groups 4 --buffer count=zero:1 --expect count=u32[16]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> count: atomic<u32>;

@compute @workgroup_size(4)
fn main() {
  atomicAdd(&count, 1u);
}
