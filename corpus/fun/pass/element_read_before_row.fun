-- An element is read before the row that it is in is written, and not again.
-- input: 2, 2, [[2, 2], [2, 2]], [3, 4], 2
-- result: [[2, 2], [4, 5]], 6
param (n : int) (m : int) (xs : [n][m]) (ys : [m]) (i : int)
let (mine : [n][m]) = copy xs
let (old : int) = mine[i, 1]
let (row : [1][m]) = kernel h <= 1 do
  let (more : [m]) = kernel j <= m do
    in (ys[j] + 1)
  in (more)
let (matrix : [n][m]) = mine with [i : 1, 1 : m] = row
in (matrix, old + ys[m])
