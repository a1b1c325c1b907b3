// A buffer for eight elements under a pipeline whose constant makes the group sixteen wide.
// judge: --groups 1 --constant 7=16 --buffer out=zero:8
// verdict: out-of-bounds 9
@id(7) override WIDTH: u32 = 8u;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(WIDTH)
fn main(@builtin(local_invocation_index) i: u32) {
  out[i] = i;
}
