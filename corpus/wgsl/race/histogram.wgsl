// A histogram that counts with a plain `+= 1`: two samples of one bin lose one of their steps.
// judge: --groups 1 --buffer samples=u32[3,0,3,1] --buffer bins=zero:4
// verdict: race bins 9
@group(0) @binding(0) var<storage, read> samples: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<u32, 4>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lid: u32) {
  bins[samples[lid] % 4u] += 1u;
}
