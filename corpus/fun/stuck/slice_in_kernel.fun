-- The last windows are too long.
-- input: 4, [1, 2, 3, 4]
-- stuck: E-SLICE slice
-- input: 2, [1, 2]
-- stuck: E-SLICE slice
param (n : int) (xs : [n])
let (ys : [n]) = kernel i <= n do
  let (window : [3]) = xs[i : 3]
  in (window[1] + window[3])
in (ys)
