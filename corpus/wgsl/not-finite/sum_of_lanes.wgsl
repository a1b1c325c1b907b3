// Lanes of a subgroup add up their energies, whose sum is beyond the greatest float.
// judge: --groups 1 --subgroup 4 --buffer energy=f32[2e38,1e38,1e38,1e38] --buffer total=zero:1
// verdict: not-finite 9
enable subgroups;
@group(0) @binding(0) var<storage, read> energy: array<f32>;
@group(0) @binding(1) var<storage, read_write> total: f32;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  let sum = subgroupAdd(energy[i]);
  if i == 0u { total = sum; }
}
