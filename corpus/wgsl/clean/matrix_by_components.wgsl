// Each invocation fills a column of its own, component by component: columns are vectors apart.
// judge: --groups 1 --buffer out=zero:4 --expect out=f32[1.0,2.0,2.0,4.0]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> out: mat2x2<f32>;
var<workgroup> m: mat2x2<f32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  m[i].x = f32(i + 1u);
  m[i].y = 2.0 * m[i].x;
  out[i].x = m[i].x;
  out[i].y = m[i].y;
}
