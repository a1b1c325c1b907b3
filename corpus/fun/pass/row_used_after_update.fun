-- A row is written into a matrix and used again afterwards.
-- input: 4, [0, 1, 2, 3]
-- result: [[0, 0, 0, 0], [0, 0, 0, 0], [1, 2, 3, 4], [0, 0, 0, 0]], [2, 3, 4, 5]
param (n : int) (xs : [n])
let (row : [n]) = kernel i <= n do
  in (xs[i] + 1)
let (zeros : [n][n]) = replicate n (replicate n 0)
let (kernel_row : [1][n]) = replicate 1 row
let (matrix : [n][n]) = zeros with [n - 1 : 1, 1 : n] = kernel_row
let (again : [n]) = kernel i <= n do
  in (row[i] + 1)
in (matrix, again)
