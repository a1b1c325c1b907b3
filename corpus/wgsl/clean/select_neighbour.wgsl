// A difference to the left neighbour, which is read where there is one.
// judge: --groups 1 --buffer samples=u32[4,6,9] --buffer deltas=zero:3 --expect deltas=u32[0,2,3]
// verdict: clean
@group(0) @binding(0) var<storage, read> samples: array<u32>;
@group(0) @binding(1) var<storage, read_write> deltas: array<u32>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
  if i > 0u {
    deltas[i] = samples[i] - samples[i - 1u];
  }
}
