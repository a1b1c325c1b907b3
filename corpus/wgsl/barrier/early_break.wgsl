// A search in rounds: who has found the key leaves the loop, and the others wait for it.
// judge: --groups 1 --buffer data=u32[1,9,3,4,5,6,9,8] --buffer at=zero:4
// verdict: barrier 15
@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> at: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lid: u32) {
  for (var round = 0u; round < 2u; round++) {
    let place = 4u * round + lid;
    if data[place] == 9u {
      at[lid] = place;
      break;
    }
    storageBarrier();
  }
}
