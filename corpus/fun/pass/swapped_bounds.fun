-- Indices in the wrong order are harmless in a square.
-- input: 2, 2, [[1, 2], [3, 4]]
-- result: [[1, 2], [3, 4]]
param (n : int) (m : int) (xs : [n][m])
let (ys : [n][m]) = kernel i <= n do
  let (row : [m]) = kernel j <= m do
    in (xs[j, i])
  in (row)
in (transpose ys)
