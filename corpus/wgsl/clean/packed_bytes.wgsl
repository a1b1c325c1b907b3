// Bytes of an image packed into words that begin as zero: each invocation sets the bits of its byte atomically.
// judge: --groups 1 --buffer image=zero:1 --expect image=u32[0x31211101]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> image: array<atomic<u32>>;

fn put(at: u32, byte: u32) {
  let shift = 8u * (at & 3u);
  atomicOr(&image[at >> 2u], byte << shift);
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  put(i, 16u * i + 1u);
}
