// Three tenths are compared with a sum of tenths.
// judge: --groups 1 --buffer tenth=f32[0.1] --buffer equal=zero:1
// verdict: rounding-dependent 9
@group(0) @binding(0) var<storage, read> tenth: f32;
@group(0) @binding(1) var<storage, read_write> equal: u32;

@compute @workgroup_size(1)
fn main() {
  if tenth + tenth + tenth == 0.3 {
    equal = 1u;
  }
}
