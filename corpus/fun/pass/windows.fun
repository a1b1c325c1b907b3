-- Windows of three, each with its number added.
-- input: 2, 9, [1, 2, 3, 4, 5, 6, 7, 8, 9]
-- result: [[1, 2, 3], [3, 4, 5]]
-- input: 7, 9, [1, 2, 3, 4, 5, 6, 7, 8, 9]
-- result: [[1, 2, 3], [3, 4, 5], [5, 6, 7], [7, 8, 9], [9, 10, 11], [11, 12, 13], [13, 14, 15]]
param (n : int) (l : int) (xs : [l])
let (ys : [n][3]) = kernel i <= n do
  let (window : [3]) = xs[i : 3]
  let (row : [3]) = kernel j <= 3 do
    in (window[j] + i - 1)
  in (row)
in (ys)
