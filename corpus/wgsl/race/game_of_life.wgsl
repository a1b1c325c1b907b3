// A step of the game of life in the buffer that it reads, over work groups.
// judge: --groups 2,2 --buffer cells=u32[0,0,0,0,0,1,1,1,0,0,0,0,0,0,0,0]
// verdict: race cells 7 18
@group(0) @binding(0) var<storage, read_write> cells: array<u32>;

fn alive(x: u32, y: u32) -> u32 {
  return cells[(y % 4u) * 4u + x % 4u];
}

@compute @workgroup_size(2, 2)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var count = 0u;
  for (var d = 0u; d < 9u; d++) {
    if d != 4u { count += alive(id.x + 3u + d % 3u, id.y + 3u + d / 3u); }
  }
  storageBarrier();
  let lives = count == 3u || count == 2u && alive(id.x, id.y) == 1u;
  cells[id.y * 4u + id.x] = select(0u, 1u, lives);
}
