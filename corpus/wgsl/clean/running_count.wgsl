// The first invocation reports a counter behind a barrier for buffers.
// judge: --groups 1 --buffer hits=zero:1 --buffer report=zero:1 --expect report=u32[28]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> hits: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> report: u32;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
  atomicAdd(&hits, i);
  storageBarrier();
  if i == 0u {
    report = atomicLoad(&hits);
  }
}
