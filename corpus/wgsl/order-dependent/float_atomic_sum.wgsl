// A sum of floats by compareExchange, whose rounding depends on the order of the terms.
// judge: --groups 1 --buffer terms=f32[100000000.0,1.0,-100000000.0,3.0] --buffer sum=zero:1
// verdict: order-dependent sum
@group(0) @binding(0) var<storage, read> terms: array<f32>;
@group(0) @binding(1) var<storage, read_write> sum: atomic<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  var old = atomicLoad(&sum);
  loop {
    let next = bitcast<u32>(bitcast<f32>(old) + terms[i]);
    let r = atomicCompareExchangeWeak(&sum, old, next);
    if r.exchanged { break; }
    old = r.old_value;
  }
}
