-- Each thread repeats a kernel of its own: powers of a matrix, row by row.
-- input: 2, [[1, 1], [1, 0]], 10
-- result: [[89, 55], [55, 34]]
-- input: 2, [[2, 0], [0, 3]], 0
-- result: [[1, 0], [0, 1]]
param (n : int) (xs : [n][n]) (power : int)
let (ys : [n][n]) = kernel i <= n do
  let (unit : [n]) = kernel j <= n do
    in (i == j)
  let (row : [n]) = loop (row : [n] = unit) for p <= power do
    let (next : [n]) = kernel j <= n do
      let (sum : int) = loop (sum : int = 0) for k <= n do
        in (sum + row[k] * xs[k, j])
      in (sum)
    in (next)
  in (row)
in (ys)
