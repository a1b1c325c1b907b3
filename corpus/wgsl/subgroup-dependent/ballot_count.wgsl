// Votes of a work group counted in the first word of one ballot.
// judge: --groups 1 --subgroup 8,32 --buffer votes=u32[1,0,1,1,0,0,1,0,1,1,1,1,0,0,0,1] --buffer yes=zero:1
// verdict: subgroup-dependent yes
enable subgroups;
@group(0) @binding(0) var<storage, read> votes: array<u32>;
@group(0) @binding(1) var<storage, read_write> yes: u32;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
  let ballot = subgroupBallot(votes[i] == 1u);
  if i == 0u {
    yes = countOneBits(ballot.x);
  }
}
