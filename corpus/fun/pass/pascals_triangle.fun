-- Binomial coefficients; a matrix is filled row by row in place.
-- input: 6
-- result: [[1, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0], [1, 2, 1, 0, 0, 0], [1, 3, 3, 1, 0, 0], [1, 4, 6, 4, 1, 0], [1, 5, 10, 10, 5, 1]]
-- input: 1
-- result: [[1]]
param (n : int)
let (zeros : [n][n]) = replicate n (replicate n 0)
let (triangle : [n][n]) = loop (acc : [n][n] = zeros) for i <= n do
  let (row : [1][n]) = kernel h <= 1 do
    let (sums : [n]) = kernel j <= n do
      let (x : int) = if j == 1
        then
          in (1)
        else
          let (x : int) = if i == 1 then in (0) else in (acc[i - 1, j - 1] + acc[i - 1, j])
          in (x)
      in (x)
    in (sums)
  let (next : [n][n]) = acc with [i : 1, 1 : n] = row
  in (next)
in (triangle)
