// Memory model, two dispatches: what one stores plainly in all groups, the next one loads in any of them.
// judge: --groups 4 --groups 4 --buffer mail=zero:4 --buffer stage=zero:4 --buffer seen=zero:4 --expect seen=u32[13,12,11,10]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> mail: array<u32, 4>;
@group(0) @binding(1) var<storage, read_write> stage: array<u32, 4>;
@group(0) @binding(2) var<storage, read_write> seen: array<u32, 4>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) w: vec3u) {
  if stage[w.x] == 0u {
    mail[w.x] = w.x + 10u;
  } else {
    seen[w.x] = mail[3u - w.x];
  }
  stage[w.x]++;
}
