-- The kernel of the third thread is of negative size.
-- input: 4
-- stuck: E-KERNEL size
param (n : int)
let (sums : [n]) = kernel i <= n do
  let (m : int) = 2 - i
  let (xs : [m]) = kernel j <= m do
    in (j)
  in (m)
in (sums)
