-- A sum.
-- input: 5, [1, 2, 3, 4, 5]
-- result: 15
-- input: 0, []
-- result: 0
-- input: 2, [2147483647, 2]
-- result: -2147483647
param (n : int) (xs : [n])
let (sum : int) = loop (sum : int = 0) for i <= n do
  in (sum + xs[i])
in (sum)
