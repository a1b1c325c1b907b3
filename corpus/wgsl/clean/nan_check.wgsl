// The operand of a division is checked before it, and not its result behind it.
// judge: --groups 1 --buffer x=f32[0.0,1.0] --buffer out=zero:2 --expect out=f32[0.0,1.0]
// verdict: clean
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  if x[i] != 0.0 {
    out[i] = x[i] / x[i];
  }
}
