// A loop counts steps by an integer, and time follows from them.
// judge: --groups 1 --buffer dt=f32[0.1] --buffer steps=zero:1 --buffer time=zero:1
// judge: --expect steps=u32[10] --expect time=f32[1.0]
// verdict: clean
@group(0) @binding(0) var<storage, read> dt: f32;
@group(0) @binding(1) var<storage, read_write> steps: u32;
@group(0) @binding(2) var<storage, read_write> time: f32;

@compute @workgroup_size(1)
fn main() {
  var count = 0u;
  while count < 10u {
    count++;
  }
  steps = count;
  time = f32(count) * dt;
}
