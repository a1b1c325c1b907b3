-- The outer two of three dimensions change places.
-- input: 2, 2, 2, [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]
-- result: [[[1, 2], [5, 6]], [[3, 4], [7, 8]]]
-- input: 1, 3, 2, [[[1, 2], [3, 4], [5, 6]]]
-- result: [[[1, 2]], [[3, 4]], [[5, 6]]]
param (n : int) (m : int) (l : int) (xs : [n][m][l])
let (ys : [m][n][l]) = kernel j <= m do
  let (plane : [n][l]) = kernel i <= n do
    let (row : [l]) = kernel k <= l do
      in (xs[i, j, k])
    in (row)
  in (plane)
in (ys)
