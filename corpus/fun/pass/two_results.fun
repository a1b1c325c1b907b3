-- A kernel with two results: half, rounded down, and the distance from 2.
-- input: 7, [-3, -2, -1, 0, 1, 2, 3]
-- result: [-2, -1, -1, 0, 0, 1, 1], [5, 4, 3, 2, 1, 0, -1]
param (n : int) (xs : [n])
let (halves : [n]) (rest : [n]) = kernel i <= n do
  in (xs[i] >> 1, 2 - xs[i])
in (halves, rest)
