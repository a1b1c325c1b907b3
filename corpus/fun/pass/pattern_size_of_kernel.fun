-- The rows of a kernel have a size that is computed.
-- input: 2
-- result: [[101, 102, 103, 104, 105], [201, 202, 203, 204, 205]]
-- input: 0
-- result: empty[0][1]
param (n : int)
let (m : int) = n * 2 + 1
let (rows : [n][m]) = kernel i <= n do
  let (row : [m]) = kernel j <= m do
    in (i * 100 + j)
  in (row)
in (rows)
