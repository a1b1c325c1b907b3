// Memory model, one invocation: it reads what it wrote, in each address space, with no barrier.
// judge: --groups 2 --buffer b=zero:4 --expect b=u32[1,2,3,4]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> b: array<u32>;
var<workgroup> t: array<u32, 2>;
var<private> p: u32;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32, @builtin(global_invocation_id) gid: vec3u) {
  p = gid.x;
  t[i] = p;
  b[gid.x] = t[i];
  b[gid.x] += 1u;
}
