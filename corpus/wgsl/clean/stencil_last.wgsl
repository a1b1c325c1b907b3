// A heat step over a rod with closed ends: neighbours that are not there are the cell itself.
// judge: --groups 1 --buffer heat=u32[8,4,8,4] --buffer next=zero:4 --expect next=u32[7,6,6,5]
// verdict: clean
@group(0) @binding(0) var<storage, read> heat: array<u32>;
@group(0) @binding(1) var<storage, read_write> next: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) gid: vec3u) {
  let i = gid.x;
  let last = arrayLength(&heat) - 1u;
  let left = heat[max(i, 1u) - 1u];
  let right = heat[min(i + 1u, last)];
  next[i] = (left + 2u * heat[i] + right) / 4u;
}
