// Two invocations of a group wait for each other's flag before they set their own.
// judge: --buffer out=zero:2
// verdict: never-ends 9
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> flags: array<atomic<u32>, 2>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  loop { if atomicLoad(&flags[1u - i]) == 1u { break; } }
  atomicStore(&flags[i], 1u);
  out[i] = 1u;
}
