-- Numbers from 1, and from 0.
-- input: 0
-- result: [], []
-- input: 2
-- result: [1, 2], [0, 1]
param (n : int)
let (from_0 : [n]) = kernel i <= n do
  in (i - 1)
in (iota n, from_0)
