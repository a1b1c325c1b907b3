// A distance is kept as one of two f16 in a word, and cut off at the greatest f16.
// judge: --groups 1 --buffer distance=f32[1000.0,70000.0] --buffer packed=zero:1 --expect packed=u32[0x7bff63d0]
// verdict: clean
@group(0) @binding(0) var<storage, read> distance: vec2f;
@group(0) @binding(1) var<storage, read_write> packed: u32;

@compute @workgroup_size(1)
fn main() {
  packed = pack2x16float(min(distance, vec2f(65504.0)));
}
