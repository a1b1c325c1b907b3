// Memory model, atomicity: doubling by compareExchange until it holds, from every invocation.
// judge: --groups 2 --buffer word=u32[3] --expect word=u32[48]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> word: atomic<u32>;

@compute @workgroup_size(2)
fn main() {
  var old = atomicLoad(&word);
  loop {
    let r = atomicCompareExchangeWeak(&word, old, 2u * old);
    if r.exchanged { break; }
    old = r.old_value;
  }
}
