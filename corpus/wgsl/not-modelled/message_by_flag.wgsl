// A group stores a letter and then a flag, another one reads the letter if it sees the flag: in each run the letter is there. But the
// two words are atomic each by itself, and nothing orders the one before the other.
// judge: --groups 2 --buffer mail=zero:2 --buffer out=zero:1
// verdict: not-modelled relaxed 15
struct Mail { letter: atomic<u32>, flag: atomic<u32> }
@group(0) @binding(0) var<storage, read_write> mail: Mail;
@group(0) @binding(1) var<storage, read_write> out: u32;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) w: vec3u) {
  if w.x == 0u {
    atomicStore(&mail.letter, 7u);
    atomicStore(&mail.flag, 1u);
  } else if atomicLoad(&mail.flag) == 1u {
    out = atomicLoad(&mail.letter);
  } else {
    out = 7u;
  }
}
