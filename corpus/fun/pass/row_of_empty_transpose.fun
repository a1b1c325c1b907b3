-- The first row of a transposed matrix without rows.
-- input: 0, 2, empty[0][2]
-- result: []
-- input: 1, 2, [[7, 8]]
-- result: [7]
param (n : int) (m : int) (xs : [n][m])
let (ys : [m][n]) = transpose xs
let (row : [n]) = kernel i <= n do
  in (ys[1, i])
in (row)
