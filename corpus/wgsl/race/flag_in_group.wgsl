// Memory model, message passing within a work group: an atomic flag says that plain data is there, with no barrier.
// judge: --groups 1 --buffer seen=zero:1
// verdict: race data 11 14
var<workgroup> data: u32;
var<workgroup> flag: atomic<u32>;
@group(0) @binding(0) var<storage, read_write> seen: u32;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  if i == 0u {
    data = 3u;
    atomicStore(&flag, 1u);
  } else if atomicLoad(&flag) == 1u {
    seen = data;
  }
}
