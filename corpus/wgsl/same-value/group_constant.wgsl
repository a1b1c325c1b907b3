// Every group writes the length of the input into one header.
// judge: --groups 3 --buffer input=iota:6 --buffer result=zero:7
// verdict: same-value result 11
struct Result { length: u32, values: array<u32> }
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: Result;

@compute @workgroup_size(2)
fn main(@builtin(global_invocation_id) gid: vec3u, @builtin(local_invocation_index) lid: u32) {
  if lid == 0u {
    result.length = arrayLength(&input);
  }
  result.values[gid.x] = 2u * input[gid.x];
}
