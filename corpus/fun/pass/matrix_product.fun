-- A matrix product, rows times columns of the transposed.
-- input: 2, 3, 4, [[3, -1, 4], [1, -5, 9]], [[2, 7, 1, 8], [2, 8, 1, 8], [-2, 8, 4, 5]]
-- result: [[-4, 45, 18, 36], [-26, 39, 32, 13]]
-- input: 1, 0, 2, empty[1][0], empty[0][2]
-- result: [[0, 0]]
-- after device: launches 1, invocations 1
param (n : int) (m : int) (l : int) (xs : [n][m]) (ys : [m][l])
let (columns : [l][m]) = transpose ys
let (zs : [n][l]) = kernel i <= n do
  let (row : [l]) = kernel j <= l do
    let (sum : int) = loop (sum : int = 0) for k <= m do
      in (sum + xs[i, k] * columns[j, k])
    in (sum)
  in (row)
in (zs)
