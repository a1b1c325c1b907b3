-- A matrix product for each pair of a batch.
-- input: 2, 2, 2, 2, [[[1, 2], [3, 4]], [[5, 6], [7, 8]]], [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]
-- result: [[[7, 10], [15, 22]], [[67, 78], [91, 106]]]
-- fires: E-LOOP
param (b : int) (n : int) (m : int) (l : int) (xs : [b][n][m]) (ys : [b][m][l])
let (zs : [b][n][l]) = kernel h <= b do
  let (plane : [n][l]) = kernel i <= n do
    let (row : [l]) = kernel j <= l do
      let (sum : int) = loop (sum : int = 0) for k <= m do
        in (sum + xs[h, i, k] * ys[h, k, j])
      in (sum)
    in (row)
  in (plane)
in (zs)
