// Invocations insert keys that fall into different cells of a hash table, one of them twice.
// judge: --groups 1 --buffer keys=u32[5,6,5] --buffer table=zero:4 --expect table=u32[0,5,6,0]
// verdict: clean
@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> table: array<atomic<u32>, 4>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
  var cell = keys[i] % 4u;
  loop {
    let r = atomicCompareExchangeWeak(&table[cell], 0u, keys[i]);
    if r.exchanged || r.old_value == keys[i] { break; }
    if r.old_value != 0u { cell = (cell + 1u) % 4u; }
  }
}
