-- A row of a matrix of ones becomes twice a vector.
-- input: 3, 3, [5, 7, 9]
-- result: [[1, 1, 1], [1, 1, 1], [10, 14, 18]]
param (n : int) (i : int) (ys : [n])
let (ones : [n][n]) = replicate n (replicate n 1)
let (row : [1][n]) = kernel h <= 1 do
  let (twice : [n]) = kernel j <= n do
    in (2 * ys[j])
  in (twice)
let (matrix : [n][n]) = ones with [i : 1, 1 : n] = row
in (matrix)
