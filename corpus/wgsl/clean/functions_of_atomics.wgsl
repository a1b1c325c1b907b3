// The atomic built-in functions of WGSL: each is applied to a word of its own by every invocation, in any order.
// judge: --groups 2 --buffer words=u32[0,100,0,7,255,0,0,3] --buffer signs=i32[0,5,-5] --buffer out=zero:3
// judge: --expect words=u32[28,72,7,0,0,255,3,9] --expect signs=i32[-28,-4,4] --expect out=u32[3,1,8]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> words: array<atomic<u32>, 8>;
@group(0) @binding(1) var<storage, read_write> signs: array<atomic<i32>, 3>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
var<workgroup> once: atomic<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32, @builtin(global_invocation_id) id: vec3u) {
  let k = id.x;
  atomicAdd(&words[0], k);
  atomicSub(&words[1], k);
  atomicMax(&words[2], k);
  atomicMin(&words[3], k);
  atomicAnd(&words[4], ~(1u << k));
  atomicOr(&words[5], 1u << k);
  atomicXor(&words[6], 1u << (k % 3u));
  atomicSub(&signs[0], i32(k));
  atomicMin(&signs[1], i32(k) - 4);
  atomicMax(&signs[2], i32(k) - 3);
  atomicAdd(&once, 1u);
  workgroupBarrier();
  if k == 0u {
    out[0] = atomicExchange(&words[7], 8u);
    let missed = atomicCompareExchangeWeak(&words[7], 3u, 5u);
    // One that is to succeed may fail for no reason, and is tried again.
    var done = false;
    loop {
      let tried = atomicCompareExchangeWeak(&words[7], 8u, 9u);
      done = tried.exchanged;
      if done { break; }
    }
    out[1] = select(0u, 1u, done && !missed.exchanged);
    out[2] = missed.old_value;
    atomicStore(&once, atomicLoad(&once) + 1u);
  }
}
