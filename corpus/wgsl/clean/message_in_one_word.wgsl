// A group stores a letter and a flag in one word, another one reads both at once: there is no order between words to hope for.
// judge: --groups 2 --buffer mail=zero:1 --buffer out=zero:1 --expect out=u32[7]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> mail: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> out: u32;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) w: vec3u) {
  if w.x == 0u {
    atomicStore(&mail, (7u << 1u) | 1u);
  } else {
    let seen = atomicLoad(&mail);
    if (seen & 1u) == 1u { out = seen >> 1u; } else { out = 7u; }
  }
}
