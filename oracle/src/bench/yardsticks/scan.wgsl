// Sums of all elements up to each, in chunks of 2,048, and the sum of each chunk.
@group(0) @binding(0) var<storage, read> input: array<i32>;
@group(0) @binding(1) var<storage, read_write> scanned: array<i32>;
@group(0) @binding(2) var<storage, read_write> totals: array<i32>;

// Eight elements an invocation, nine words apart.
var<workgroup> chunk: array<i32, 2304>;
var<workgroup> sums: array<i32, 256>;

fn place(k: u32) -> u32 {
  return k + k / 8u;
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
  let n = arrayLength(&scanned);
  let start = group.x * 2048u;
  for (var k = local; k < 2048u; k += 256u) {
    var element = 0;
    if (start + k < n) {
      element = input[start + k];
    }
    chunk[place(k)] = element;
  }
  workgroupBarrier();
  var sum = 0;
  for (var k = 0u; k < 8u; k++) {
    sum += chunk[local * 9u + k];
    chunk[local * 9u + k] = sum;
  }
  sums[local] = sum;
  workgroupBarrier();
  for (var far = 1u; far < 256u; far *= 2u) {
    var before = 0;
    if (local >= far) {
      before = sums[local - far];
    }
    workgroupBarrier();
    sums[local] += before;
    workgroupBarrier();
  }
  let before = sums[local] - sum;
  for (var k = 0u; k < 8u; k++) {
    chunk[local * 9u + k] += before;
  }
  workgroupBarrier();
  for (var k = local; k < 2048u; k += 256u) {
    if (start + k < n) {
      scanned[start + k] = chunk[place(k)];
    }
  }
  if (local == 255u) {
    totals[group.x] = sums[255];
  }
}
