-- A column is written through the transposed matrix.
-- input: 2, 3, [[1, 2, 3], [4, 5, 6]], 2, 0
-- result: [[1, 0, 3], [4, 0, 6]]
param (n : int) (m : int) (xs : [n][m]) (j : int) (x : int)
let (turned : [m][n]) = copy (transpose xs)
let (written : [m][n]) = turned with [j : 1, 1 : n] = x
in (transpose written)
