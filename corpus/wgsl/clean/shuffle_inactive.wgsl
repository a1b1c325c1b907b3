// Lanes ask their neighbours for a value while all of them are there, and branch behind that.
// judge: --groups 1 --subgroup 4 --buffer out=zero:4 --expect out=u32[10,0,30,0]
// verdict: clean
enable subgroups;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(subgroup_invocation_id) lane: u32) {
  let neighbour = subgroupShuffleXor(10u * lane, 1u);
  if lane % 2u == 0u {
    out[lane] = neighbour;
  }
}
