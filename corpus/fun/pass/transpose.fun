-- Rows become columns, also of a matrix without rows.
-- input: 2, 3, [[1, 2, 3], [4, 5, 6]]
-- result: [[1, 4], [2, 5], [3, 6]]
-- input: 0, 1, empty[0][1]
-- result: empty[1][0]
-- input: 1, 0, empty[1][0]
-- result: empty[0][1]
-- fires: E-TRANSPOSE
param (n : int) (m : int) (xs : [n][m])
let (ys : [m][n]) = transpose xs
in (ys)
