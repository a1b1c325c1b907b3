// A softmax over a row in one work group: maximum, exponentials, sum, quotient.
// judge: --groups 1 --buffer row=f32[1.0,2.0,3.0,4.0] --buffer out=zero:4
// judge: --expect out=f32[0.0320586,0.0871443,0.2368828,0.6439142] --tolerance 0.00001
// verdict: clean
@group(0) @binding(0) var<storage, read> row: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
var<workgroup> tile: array<f32, 4>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  tile[i] = row[i];
  workgroupBarrier();
  let most = max(max(tile[0], tile[1]), max(tile[2], tile[3]));
  let e = exp(row[i] - most);
  workgroupBarrier();
  tile[i] = e;
  workgroupBarrier();
  out[i] = e / (tile[0] + tile[1] + tile[2] + tile[3]);
}
