// Each work group waits for a flag that no invocation sets.
// judge: --groups 2 --buffer flag=zero:1 --buffer out=zero:2
// verdict: never-ends 9
@group(0) @binding(0) var<storage, read_write> flag: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3u) {
  while atomicLoad(&flag) == 0u {}
  out[group.x] = 1u;
}
