-- The sum of each row of a matrix, one thread a row.
-- input: 3, 4, [[1, 2, 3, 4], [5, 6, 7, 8], [-9, 10, -11, 12]]
-- result: [10, 26, 2]
-- input: 2, 0, empty[2][0]
-- result: [0, 0]
-- input: 1, 3, [[2147483647, 1, 1]]
-- result: [-2147483647]
param (n : int) (m : int) (xs : [n][m])
let (sums : [n]) = kernel i <= n do
  let (sum : int) = loop (sum : int = 0) for j <= m do
    in (sum + xs[i, j])
  in (sum)
in (sums)
