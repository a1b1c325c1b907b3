// Values from a hash of integers, mapped to floats by fract and mix.
// judge: --groups 1 --buffer out=zero:4 --expect out=f32[0.25,0.75,1.25,1.75]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  let x = f32(i) * 2.25;
  out[i] = mix(0.25, 2.25, fract(x));
}
