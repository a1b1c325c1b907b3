-- Indices in the wrong order leave a matrix that is no square.
-- input: 2, 3, [[1, 2, 3], [3, 4, 5]]
-- stuck: E-INDEX index
param (n : int) (m : int) (xs : [n][m])
let (ys : [n][m]) = kernel i <= n do
  let (row : [m]) = kernel j <= m do
    in (xs[j, i])
  in (row)
in (transpose ys)
