// A bank account whose words are atomic each: nobody has to lock it.
// judge: --groups 3 --buffer bank=zero:2 --expect bank=u32[30,3]
// verdict: clean
struct Bank { money: atomic<u32>, visits: atomic<u32> }
@group(0) @binding(0) var<storage, read_write> bank: Bank;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) wid: vec3u) {
  atomicAdd(&bank.money, 10u * wid.x);
  atomicAdd(&bank.visits, 1u);
}
