-- An array that comes out of a branch in the inner of two kernels.
-- input: 2, 3
-- result: [[[0, 0], [1, 1]], [[1, 1], [1, 1]], [[2, 2], [1, 1]]]
param (n : int) (m : int)
let (ys : [m][n][n]) = kernel i <= m do
  let (rows : [n][n]) = kernel j <= n do
    let (row : [n]) = if j == 1
      then
        in (replicate n (i - 1))
      else
        in (replicate n 1)
    in (row)
  in (rows)
in (ys)
