// Three invocations fill the channels of one colour in a buffer: a store of a component may write the whole vector.
// judge: --groups 1 --buffer colours=zero:4
// verdict: race colours 8
@group(0) @binding(0) var<storage, read_write> colours: array<vec3<u32>>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) channel: u32) {
  colours[0][channel] = 10u * channel;
}
