-- The rows of a kernel have a negative size, even where there are no rows.
-- input: 2, -1
-- stuck: E-KERNEL size
-- input: 0, -3
-- stuck: E-KERNEL size
-- input: -2, -1
-- stuck: E-KERNEL size
param (n : int) (m : int)
let (xs : [n][m]) = kernel i <= n do
  let (row : [m]) = kernel j <= m do
    in (j)
  in (row)
in (xs)
