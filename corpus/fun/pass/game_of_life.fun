-- Conway's game of life on a torus.
-- input: 6, 8, [[0, 1, 0, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0]], 4
-- result: [[0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0, 0, 0], [0, 1, 1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0]]
-- input: 3, 3, [[0, 0, 0], [1, 1, 1], [0, 0, 0]], 1
-- result: [[1, 1, 1], [1, 1, 1], [1, 1, 1]]
-- after device: launches 1, invocations 3
param (n : int) (m : int) (world : [n][m]) (rounds : int)
let (last : [n][m]) = loop (old : [n][m] = world) for round <= rounds do
  let (new : [n][m]) = kernel i <= n do
    let (row : [m]) = kernel j <= m do
      let (around : int) = loop (sum : int = 0) for k <= 9 do
        let (a : int) = (i + n + (k - 1) / 3 - 2) % n + 1
        let (b : int) = (j + m + (k - 1) % 3 - 2) % m + 1
        in (sum + old[a, b])
      let (others : int) = around - old[i, j]
      in ((others == 3) | (others == 2) & old[i, j])
    in (row)
  in (new)
in (last)
