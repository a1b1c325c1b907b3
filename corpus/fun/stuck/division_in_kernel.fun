-- One thread divides by zero.
-- input: 4, [5, 3, 0, 2]
-- stuck: E-SCALAR division
param (n : int) (xs : [n])
let (ys : [n]) = kernel i <= n do
  in (1000 / xs[i] + 1000 % xs[n + 1 - i])
in (ys)
