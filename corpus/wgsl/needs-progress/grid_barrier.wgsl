// A barrier over all groups of a grid by a counter: it ends if all groups run at one time.
// judge: --groups 3 --fuel 2000 --buffer arrived=zero:1 --buffer out=zero:3
// verdict: needs-progress
@group(0) @binding(0) var<storage, read_write> arrived: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) wid: vec3u) {
  atomicAdd(&arrived, 1u);
  while atomicLoad(&arrived) < 3u { }
  out[wid.x] = 7u;
}
