// Memory model, one dispatch: what groups store plainly, others load with a barrier of their own group between.
// judge: --groups 4 --buffer mail=zero:4 --buffer seen=zero:4
// verdict: race mail 9 11
@group(0) @binding(0) var<storage, read_write> mail: array<u32, 4>;
@group(0) @binding(1) var<storage, read_write> seen: array<u32, 4>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) w: vec3u) {
  mail[w.x] = w.x + 10u;
  storageBarrier();
  seen[w.x] = mail[3u - w.x];
}
