// Ten steps of an eighth in f16, which are exact, and of a tenth, compared with room to spare.
// judge: --groups 1 --buffer step=f16[0.125,0.1] --buffer out=zero:1 --expect out=u32[1]
// verdict: clean
enable f16;
@group(0) @binding(0) var<storage, read> step: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: u32;

@compute @workgroup_size(1)
fn main() {
  var exact = 0.0h;
  var near = 0.0h;
  for (var k = 0u; k < 10u; k++) {
    exact += step[0];
    near += step[1];
  }
  if exact == 1.25h { out = select(2u, 1u, abs(near - 1.0h) < 0.25h); }
}
