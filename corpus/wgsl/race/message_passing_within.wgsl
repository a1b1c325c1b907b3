// Memory model, message passing: data, then a flag; the reader looks at the flag, then at the data, within a work group, by plain accesses: they race.
// judge: --groups 1 --buffer seen=zero:2
// verdict: race m
var<workgroup> m: array<u32, 2>;
@group(0) @binding(0) var<storage, read_write> seen: array<u32, 2>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
  if i == 0u {
    m[0] = 1u;
    m[1] = 1u;
  } else {
    let a = m[1];
    let b = m[0];
    seen[0] = a;
    seen[1] = b;
  }
}
