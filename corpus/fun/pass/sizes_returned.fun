-- Sizes are returned beside arrays, in any order, and arrays may share one.
-- input: 3, 1
-- result: [1, 2], 3, [1, 2, 3], [5, 5, 5]
-- input: 3, 0
-- result: [3, 4], 1, [6], [7]
param (n : int) (c : int)
let (xs : [2]) (k : int) (ys : [k]) (zs : [k]) = if c
  then
    in ([1, 2], n, iota n, replicate n 5)
  else
    in ([3, 4], 1, [6], [7])
in (xs, k, ys, zs)
