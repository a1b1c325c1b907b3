// A difference to the left neighbour by select(), which reads in front of the buffer for the first element.
// judge: --groups 1 --buffer samples=u32[4,6,9] --buffer deltas=zero:3 --expect deltas=u32[0,2,3]
// verdict: discarded-read 9
@group(0) @binding(0) var<storage, read> samples: array<u32>;
@group(0) @binding(1) var<storage, read_write> deltas: array<u32>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
  let left = samples[i - 1u];
  deltas[i] = select(samples[i] - left, 0u, i == 0u);
}
