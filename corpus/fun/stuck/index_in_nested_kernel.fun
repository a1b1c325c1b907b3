-- The third row of a triangle has no fourth column.
-- input: 3, [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
-- stuck: E-INDEX index
param (n : int) (xs : [n][n])
let (ys : [n][n]) = kernel i <= n do
  let (row : [n]) = kernel j <= n do
    in (xs[i, i + j - 1])
  in (row)
in (ys)
