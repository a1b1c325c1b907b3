-- Three maps over a matrix, each of the one before, with its numbers of rows and columns.
-- input: 2, 3, [[4, -5, 6], [1, 0, -2]]
-- result: [[10, 14, 2], [0, 12, 15]]
-- input: 0, 2, empty[0][2]
-- result: empty[0][2]
param (n : int) (m : int) (xs : [n][m])
let (ys : [n][m]) = kernel i <= n do
  let (row : [m]) = kernel j <= m do
    in (3 * xs[i, j] - i)
  in (row)
let (zs : [n][m]) = kernel i <= n do
  let (row : [m]) = kernel j <= m do
    in (max(ys[i, j], -4) ^ j)
  in (row)
let (us : [n][m]) = kernel i <= n do
  let (row : [m]) = kernel j <= m do
    in (zs[i, j] & 15)
  in (row)
in (us)
