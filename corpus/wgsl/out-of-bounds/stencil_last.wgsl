// A heat step over a rod: the last cell reads a right neighbour that is not there, and the step counts it.
// judge: --groups 1 --buffer heat=u32[8,4,8,4] --buffer next=zero:4
// verdict: out-of-bounds 12
@group(0) @binding(0) var<storage, read> heat: array<u32>;
@group(0) @binding(1) var<storage, read_write> next: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) gid: vec3u) {
  let i = gid.x;
  var left = heat[0];
  if i > 0u { left = heat[i - 1u]; }
  let right = heat[i + 1u];
  next[i] = (left + 2u * heat[i] + right) / 4u;
}
