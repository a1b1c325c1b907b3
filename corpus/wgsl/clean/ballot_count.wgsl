// Votes of a work group counted by ballots, one lane of each subgroup adds its own.
// judge: --groups 1 --subgroup 8,32 --buffer votes=u32[1,0,1,1,0,0,1,0,1,1,1,1,0,0,0,1] --buffer yes=zero:1 --expect yes=u32[9]
// verdict: clean
enable subgroups;
@group(0) @binding(0) var<storage, read> votes: array<u32>;
@group(0) @binding(1) var<storage, read_write> yes: atomic<u32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_invocation_id) lane: u32) {
  let ballot = countOneBits(subgroupBallot(votes[i] == 1u));
  if lane == 0u {
    atomicAdd(&yes, ballot.x + ballot.y + ballot.z + ballot.w);
  }
}
