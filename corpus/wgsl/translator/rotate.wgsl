// A rotation by shifts, by zero too: WGSL shifts by 32 as by 0.
// judge: --groups 1 --buffer by=u32[0,8] --buffer out=zero:2 --expect out=u32[0x12345678,0x34567812]
// verdict: translator 10
@group(0) @binding(0) var<storage, read> by: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  let x = 0x12345678u;
  out[i] = (x << by[i]) | (x >> (32u - by[i]));
}
