-- Branches give views of different strides of one array; the result is used further.
-- input: 1, 2, [[1, 2], [3, 4]]
-- result: [[1, 3], [2, 4]], [11, 43]
-- input: 0, 2, [[1, 2], [3, 4]]
-- result: [[3, 4], [1, 2]], [33, 24]
param (c : int) (n : int) (xs : [n][n])
let (view : [n][n]) = if c
  then
    in (transpose xs)
  else
    in (xs[n : n : -1, 1 : n])
let (diagonal : [n]) = kernel i <= n do
  in (view[i, i] * 10 + view[1, i])
in (view, diagonal)
