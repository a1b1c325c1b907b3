// Three invocations fill the channels of one colour, kept as three words.
// judge: --groups 1 --buffer colours=zero:3 --expect colours=u32[0,10,20]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> colours: array<array<u32, 3>>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) channel: u32) {
  colours[0][channel] = 10u * channel;
}
