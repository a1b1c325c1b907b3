// Memory model, atomicity: three invocations exchange a token; each gets a different one, and which is open.
// judge: --groups 3 --buffer token=u32[9] --buffer got=zero:3
// verdict: order-dependent got
@group(0) @binding(0) var<storage, read_write> token: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> got: array<u32, 3>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) w: vec3u) {
  got[w.x] = atomicExchange(&token, w.x);
}
