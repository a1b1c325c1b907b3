-- The outer array is long enough, the slice is not.
-- input: 9, [0, 1, 2, 3, 4, 5, 6, 7, 8]
-- stuck: E-SLICE slice
param (n : int) (xs : [n])
let (part : [3]) = xs[2 : 3]
let (ys : [2]) = part[3 : 2]
in (ys)
