// Memory model, atomics of work-group memory behind workgroupBarrier, which orders them: all that was added is loaded.
// judge: --groups 1 --buffer out=zero:1 --expect out=u32[4]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> out: u32;
var<workgroup> n: atomic<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  atomicAdd(&n, 1u);
  workgroupBarrier();
  if i == 0u { out = atomicLoad(&n); }
}
