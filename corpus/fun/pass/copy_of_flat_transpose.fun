-- The elements of a matrix, column by column.
-- input: 2, 3, [[0, 1, 2], [4, 5, 6]]
-- result: [0, 4, 1, 5, 2, 6]
param (n : int) (m : int) (xs : [n][m])
let (ys : [m][n]) = transpose xs
let (flat : [n * m]) = kernel k <= n * m do
  in (ys[(k - 1) / n + 1, (k - 1) % n + 1])
let (zs : [n * m]) = copy flat
in (zs)
