// A lock by compareExchange around a bank account of several words, taken by invocations of several groups.
// judge: --groups 3 --buffer bank=zero:3
// verdict: race bank 12
struct Bank { lock: atomic<u32>, money: u32, visits: u32 }
@group(0) @binding(0) var<storage, read_write> bank: Bank;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) wid: vec3u) {
  loop {
    if atomicCompareExchangeWeak(&bank.lock, 0u, wid.x + 1u).exchanged { break; }
  }
  bank.money += 10u * wid.x;
  bank.visits += 1u;
  atomicStore(&bank.lock, 0u);
}
