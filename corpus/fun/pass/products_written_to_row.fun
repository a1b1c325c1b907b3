-- The products of two vectors fill the first row of a matrix.
-- input: 2, [3, 4], [3, 3], [[2, 2], [2, 2]]
-- result: [[9, 12], [2, 2]]
param (n : int) (xs : [n]) (ys : [n]) (matrix : [n][n])
let (mine : [n][n]) = copy matrix
let (products : [1][n]) = kernel h <= 1 do
  let (row : [n]) = kernel j <= n do
    in (xs[j] * ys[j])
  in (row)
let (result : [n][n]) = mine with [1 : 1, 1 : n] = products
in (result)
