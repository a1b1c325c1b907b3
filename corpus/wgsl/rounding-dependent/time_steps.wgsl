// A loop counts time in steps of a tenth until it is one: whether it makes ten steps or eleven is open.
// judge: --groups 1 --buffer dt=f32[0.1] --buffer steps=zero:1
// verdict: rounding-dependent 10
@group(0) @binding(0) var<storage, read> dt: f32;
@group(0) @binding(1) var<storage, read_write> steps: u32;

@compute @workgroup_size(1)
fn main() {
  var count = 0u;
  for (var time = 0.0; time < 1.0; time += dt) {
    count++;
  }
  steps = count;
}
