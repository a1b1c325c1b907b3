// A sum of a work group by halves, with one barrier before the loop and none in it: the lanes of a round count on those of the last one.
// judge: --groups 2 --buffer input=iota:16 --buffer sums=zero:2
// verdict: race partial 14
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;
var<workgroup> partial: array<u32, 8>;

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) gid: vec3u, @builtin(local_invocation_index) lid: u32, @builtin(workgroup_id) wid: vec3u) {
  partial[lid] = input[gid.x];
  workgroupBarrier();
  for (var stride = 4u; stride > 0u; stride >>= 1u) {
    if lid < stride {
      partial[lid] += partial[lid + stride];
    }
  }
  if lid == 0u {
    sums[wid.x] = partial[0];
  }
}
