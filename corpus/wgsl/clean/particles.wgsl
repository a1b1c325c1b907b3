// Particles that are drawn to the mean of all: positions are read from one buffer and written to another.
// judge: --groups 1 --buffer before=i32[0,8,4,4] --buffer after=zero:4 --expect after=i32[2,6,4,4]
// verdict: clean
@group(0) @binding(0) var<storage, read> before: array<i32>;
@group(0) @binding(1) var<storage, read_write> after: array<i32>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) gid: vec3u) {
  let count = i32(arrayLength(&before));
  var mean = 0;
  for (var k = 0; k < count; k++) { mean += before[k]; }
  mean /= count;
  let own = before[gid.x];
  after[gid.x] = own + (mean - own) / 2;
}
