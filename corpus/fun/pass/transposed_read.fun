-- A matrix is read along its columns, through its transpose, and each element gets its place.
-- input: 2, 3, [[1, 2, 3], [4, 5, 6]]
-- result: [[102, 108], [204, 210], [306, 312]]
-- input: 0, 2, empty[0][2]
-- result: empty[2][0]
param (n : int) (m : int) (xs : [n][m])
let (columns : [m][n]) = transpose xs
let (ys : [m][n]) = kernel j <= m do
  let (row : [n]) = kernel i <= n do
    in (2 * columns[j, i] + 100 * j)
  in (row)
in (ys)
