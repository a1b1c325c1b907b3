// A barrier over twenty groups: more than a small device has under way at one time.
// judge: --groups 20 --buffer arrived=zero:1 --buffer out=zero:20
// verdict: needs-progress 11
@group(0) @binding(0) var<storage, read_write> arrived: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) i: u32) {
  if i == 0u {
    atomicAdd(&arrived, 1u);
    while atomicLoad(&arrived) < 20u { }
  }
  workgroupBarrier();
  if i == 1u { out[wid.x] = 7u; }
}
