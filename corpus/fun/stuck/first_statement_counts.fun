-- Two statements are stuck; the first in the text is reported.
-- input: 3, [1, 2, 3]
-- stuck: E-SLICE slice
param (n : int) (xs : [n])
let (ys : [2]) = xs[n : 2]
let (x : int) = 1 / 0
in (ys, x)
