// The built-in functions of WGSL on whole vectors and matrices, and products of these.
// judge: --groups 1 --buffer in=f32[1,2,2,0,2,-1,3,0,0,1,0,0,2,0,1,0,1,3,0,0,0,1,4,0] --buffer out=zero:60
// judge: --expect out=f32[8,1,-5,0,0.33333334,0.6666667,0.6666667,0,1,2,2,0,1,-2,2,0,0.3,-0.9539392,0,0,6,3,3.3166249,0,2.236068,0.4472136,0.8944272,0,5,1,1,0,4,7,10,0,4,8,9,0,4,7,10,0,25,-5,120,0,1,7,16,0,1,-3,1,0,5,4,0,0]
// verdict: clean
struct In { a: vec3f, b: vec3f, n: vec3f, m: mat3x3f }
@group(0) @binding(0) var<storage, read> in: In;
@group(0) @binding(1) var<storage, read_write> out: array<vec3f>;

@compute @workgroup_size(1)
fn main() {
  let a = in.a;
  let b = in.b;
  let n = in.n;
  let m = in.m;
  out[0] = cross(a, b);
  out[1] = normalize(a);
  out[2] = faceForward(a, b, n);
  out[3] = reflect(a, n);
  out[4] = refract(vec3f(0.6, -0.8, 0.0), n, 0.5);
  out[5] = vec3f(dot(a, b), length(a), distance(a, b));
  out[6] = vec3f(length(a.xy), normalize(a.xy));
  out[7] = vec3f(dot(vec4f(a, 1.0), vec4f(b, -1.0)), distance(a.x, b.x), length(-a.x));
  out[8] = transpose(m) * a;
  out[9] = m * a;
  out[10] = a * m;
  out[11] = vec3f(determinant(m), determinant(mat2x2f(a.xy, b.xy)), determinant(mat4x4f(2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0, 1, 1, 1, 5)));
  out[12] = (m * m)[2];
  out[13] = m[0] + (m - 2.0 * m)[1];
  out[14] = vec3f(transpose(mat2x3f(a, b)) * vec3f(1.0), 0.0);
}
