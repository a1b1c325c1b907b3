// One dispatch divides and leaves the quotients in a buffer, the next one asks whether they are whole: that they were rounded is not
// to be seen in the buffer.
// judge: --groups 1 --groups 1 --buffer lengths=f32[0.3,0.9] --buffer steps=zero:2 --buffer whole=zero:2
// verdict: rounding-dependent 14
@group(0) @binding(0) var<storage, read> lengths: array<f32>;
@group(0) @binding(1) var<storage, read_write> steps: array<f32>;
@group(0) @binding(2) var<storage, read_write> whole: array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  if steps[i] == 0.0 {
    steps[i] = lengths[i] / 0.1;
  } else {
    whole[i] = u32(steps[i]);
  }
}
