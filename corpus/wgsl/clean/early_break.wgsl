// A search in rounds: all leave the loop when one of them has found the key.
// judge: --groups 1 --buffer data=u32[1,2,3,4,5,6,9,8,9,9,9,9] --buffer at=zero:1 --expect at=u32[6]
// verdict: clean
@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> at: u32;
var<workgroup> found: u32;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lid: u32) {
  for (var round = 0u; round < 3u; round++) {
    let place = 4u * round + lid;
    if data[place] == 9u {
      at = place;
      found = 1u;
    }
    if workgroupUniformLoad(&found) == 1u {
      break;
    }
  }
}
