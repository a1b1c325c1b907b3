-- One row of a matrix.
-- input: 4, 2, [[4, 3], [3, 2], [2, 1], [1, 0]], 2
-- result: [3, 2]
param (n : int) (m : int) (xs : [n][m]) (i : int)
let (row : [m]) = kernel j <= m do
  in (xs[i, j])
in (row)
