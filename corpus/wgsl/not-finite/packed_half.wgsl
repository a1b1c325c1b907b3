// A distance is kept as one of two f16 in a word, and is beyond the greatest f16.
// judge: --groups 1 --buffer distance=f32[1000.0,70000.0] --buffer packed=zero:1
// verdict: not-finite 9
@group(0) @binding(0) var<storage, read> distance: vec2f;
@group(0) @binding(1) var<storage, read_write> packed: u32;

@compute @workgroup_size(1)
fn main() {
  packed = pack2x16float(distance);
}
