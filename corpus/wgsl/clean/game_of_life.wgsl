// A step of the game of life on a torus, from one buffer to another: a blinker turns.
// judge: --groups 1 --buffer now=u32[0,0,0,0,0,1,1,1,0,0,0,0,0,0,0,0] --buffer next=zero:16 --expect next=u32[0,0,1,0,0,0,1,0,0,0,1,0,0,0,0,0]
// verdict: clean
@group(0) @binding(0) var<storage, read> now: array<u32>;
@group(0) @binding(1) var<storage, read_write> next: array<u32>;

fn alive(x: u32, y: u32) -> u32 {
  return now[(y % 4u) * 4u + x % 4u];
}

@compute @workgroup_size(4, 4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var count = 0u;
  for (var dy = 3u; dy <= 5u; dy++) {
    for (var dx = 3u; dx <= 5u; dx++) {
      if dx != 4u || dy != 4u { count += alive(id.x + dx, id.y + dy); }
    }
  }
  let lives = count == 3u || (count == 2u && alive(id.x, id.y) == 1u);
  next[id.y * 4u + id.x] = select(0u, 1u, lives);
}
