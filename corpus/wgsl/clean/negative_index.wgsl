// A ring buffer that steps back by adding its length first.
// judge: --groups 1 --buffer ring=i32[5,6,7] --buffer out=zero:3 --expect out=i32[7,5,6]
// verdict: clean
@group(0) @binding(0) var<storage, read> ring: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) lid: u32) {
  let before = (i32(lid) + 3 - 1) % 3;
  out[lid] = ring[before];
}
