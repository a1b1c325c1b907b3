// A sum of tenths is compared up to a tolerance.
// judge: --groups 1 --buffer tenth=f32[0.1] --buffer equal=zero:1 --expect equal=u32[1]
// verdict: clean
@group(0) @binding(0) var<storage, read> tenth: f32;
@group(0) @binding(1) var<storage, read_write> equal: u32;

@compute @workgroup_size(1)
fn main() {
  if abs(tenth + tenth + tenth - 0.3) < 0.0001 {
    equal = 1u;
  }
}
