// A gather by indices that come from a buffer and are held against the length of what they index.
// judge: --groups 1 --buffer indices=u32[2,0,3,1] --buffer values=u32[10,11,12] --buffer out=zero:4 --expect out=u32[12,10,0,11]
// verdict: clean
@group(0) @binding(0) var<storage, read> indices: array<u32>;
@group(0) @binding(1) var<storage, read> values: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  let at = indices[i];
  if at < arrayLength(&values) {
    out[i] = values[at];
  }
}
