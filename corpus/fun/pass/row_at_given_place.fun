-- A row is made before the place where it goes is known, behind the one that is given.
-- input: 2, [0, 1], [[5, 5], [5, 5]], 0
-- result: [[5, 5], [1, 2]]
-- input: 2, [0, 1], [[5, 5], [5, 5]], -1
-- result: [[1, 2], [5, 5]]
param (n : int) (xs : [n]) (matrix : [n][n]) (i : int)
let (mine : [n][n]) = copy matrix
let (row : [1][n]) = kernel h <= 1 do
  let (more : [n]) = kernel j <= n do
    in (xs[j] + 1)
  in (more)
let (result : [n][n]) = mine with [i + 2 : 1, 1 : n] = row
in (result)
