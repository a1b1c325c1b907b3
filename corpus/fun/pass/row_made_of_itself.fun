-- The new first row is made of the old one backwards, so it cannot be made where that stands.
-- input: 2, [[1, 2], [3, 4]]
-- result: [[8, 4], [3, 4]], 3
-- input: 3, [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
-- result: [[12, 8, 4], [4, 5, 6], [7, 8, 9]], 4
param (n : int) (xs : [n][n])
let (mine : [n][n]) = copy xs
let (row : [1][n]) = kernel h <= 1 do
  let (more : [n]) = kernel j <= n do
    in (4 * mine[1, n + 1 - j])
  in (more)
let (ends : int) = mine[1, 1] + mine[1, n]
let (matrix : [n][n]) = mine with [1 : 1, 1 : n] = row
in (matrix, ends)
