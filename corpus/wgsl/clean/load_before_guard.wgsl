// The guard of a grid that is larger than its data comes first.
// judge: --groups 2 --buffer input=iota:6 --buffer out=zero:6 --expect out=u32[0,1,4,9,16,25]
// verdict: clean
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) gid: vec3u) {
  if gid.x >= arrayLength(&input) {
    return;
  }
  let x = input[gid.x];
  out[gid.x] = x * x;
}
