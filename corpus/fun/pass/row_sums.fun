-- Running sums of each row, in place.
-- input: 2, 3, [[1, 2, 3], [4, 5, 6]]
-- result: [[1, 3, 6], [4, 9, 15]]
-- input: 0, 1, empty[0][1]
-- result: empty[0][1]
-- fires: E-UPDATE, E-LOOP
param (n : int) (m : int) (xs : [n][m])
let (ys : [n][m]) = kernel i <= n do
  let (row : [m]) = kernel j <= m do
    in (xs[i, j])
  let (sums : [m]) = loop (acc : [m] = row) for j <= m - 1 do
    let (next : [m]) = acc with [j + 1] = acc[j] + acc[j + 1]
    in (next)
  in (sums)
in (ys)
