-- A loop in a thread counts its divisor down to zero.
-- input: 5
-- stuck: E-SCALAR division
-- input: 3
-- stuck: E-SCALAR division
param (n : int)
let (ys : [n]) = kernel i <= n do
  let (sum : int) = loop (sum : int = 0) for k <= i do
    in (sum + 12 / (3 - k))
  in (sum)
in (ys)
