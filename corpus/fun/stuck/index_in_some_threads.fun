-- Threads fail for different reasons; the lowest one counts.
-- input: 5, [1, 2, 6, 7, 9]
-- stuck: E-INDEX index
param (n : int) (xs : [n])
let (ys : [n]) = kernel i <= n do
  let (quotient : int) = 100 / (xs[i] - 7)
  let (picked : int) = xs[xs[i]]
  in (quotient + picked)
in (ys)
