// transpose, determinant and a product of matrices with small whole numbers.
// judge: --groups 1 --buffer m=f32[1.0,3.0,2.0,4.0] --buffer out=zero:6 --expect out=f32[10.0,14.0,14.0,20.0,-2.0,0]
// verdict: clean
struct Out { square: mat2x2<f32>, det: f32 }
@group(0) @binding(0) var<storage, read> m: mat2x2<f32>;
@group(0) @binding(1) var<storage, read_write> out: Out;

@compute @workgroup_size(1)
fn main() {
  // transpose(m) * m, by columns (1, 3) and (2, 4).
  out.square = transpose(m) * m;
  out.det = determinant(m);
}
