-- A stride of zero makes a matrix of one row.
-- input: 3, 2, [[4, 5]]
-- result: [[4, 5], [4, 5], [4, 5]]
-- input: 0, 2, [[4, 5]]
-- result: empty[0][2]
param (n : int) (m : int) (xs : [1][m])
let (rows : [n][m]) = xs[1 : n : 0, 1 : m]
in (rows)
