// A prefix sum in one pass: a group waits until the group before it has published its sum.
// judge: --groups 3 --fuel 2000 --buffer input=u32[5,6,7] --buffer published=zero:3 --expect published=u32[6,12,19]
// verdict: needs-progress
@group(0) @binding(0) var<storage, read> input: array<u32>;
// A sum with one added, so that zero means that there is none yet.
@group(0) @binding(1) var<storage, read_write> published: array<atomic<u32>>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) wid: vec3u) {
  var before = 1u;
  if wid.x > 0u {
    loop {
      before = atomicLoad(&published[wid.x - 1u]);
      if before != 0u { break; }
    }
  }
  atomicStore(&published[wid.x], before + input[wid.x]);
}
