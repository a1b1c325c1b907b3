// Ten steps of a tenth in f16, compared with one: each sum may be rounded up or down.
// judge: --groups 1 --buffer step=f16[0.1,0] --buffer out=zero:1
// verdict: rounding-dependent 12
enable f16;
@group(0) @binding(0) var<storage, read> step: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: u32;

@compute @workgroup_size(1)
fn main() {
  var at = 0.0h;
  for (var k = 0u; k < 10u; k++) { at += step[0]; }
  if at == 1.0h { out = 1u; } else { out = 2u; }
}
