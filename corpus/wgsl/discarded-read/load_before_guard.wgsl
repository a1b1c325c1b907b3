// The element is loaded on the first line, and the guard comes behind it.
// judge: --groups 2 --buffer input=iota:6 --buffer out=zero:6 --expect out=u32[0,1,4,9,16,25]
// verdict: discarded-read 9
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) gid: vec3u) {
  let x = input[gid.x];
  if gid.x >= arrayLength(&input) {
    return;
  }
  out[gid.x] = x * x;
}
