-- Running sums of 0, 1, ..., n - 1, in place.
-- input: 10
-- result: [0, 1, 3, 6, 10, 15, 21, 28, 36, 45]
-- input: 1
-- result: [0]
param (n : int)
let (xs : [n]) = kernel i <= n do
  in (i - 1)
let (sums : [n]) = loop (acc : [n] = xs) for i <= n - 1 do
  let (next : [n]) = acc with [i + 1 : 1] = acc[i] + acc[i + 1]
  in (next)
in (sums)
