-- The sum over all pairs of their sum.
-- input: 5, [1, 2, 3, 4, 5]
-- result: 150
param (n : int) (xs : [n])
let (sums : [n]) = kernel i <= n do
  let (sum : int) = loop (sum : int = 0) for j <= n do
    in (sum + xs[i] + xs[j])
  in (sum)
let (total : int) = loop (total : int = 0) for i <= n do
  in (total + sums[i])
in (total)
