// Bytes of an image packed into words: invocations read, change and write one word for different bytes.
// judge: --groups 1 --buffer image=zero:1
// verdict: race image 8
@group(0) @binding(0) var<storage, read_write> image: array<u32>;

fn put(at: u32, byte: u32) {
  let shift = 8u * (at & 3u);
  image[at >> 2u] = (image[at >> 2u] & ~(255u << shift)) | (byte << shift);
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  put(i, 16u * i + 1u);
}
