-- What is never used gets stuck all the same.
-- input: 2, [1, 2]
-- stuck: E-INDEX index
param (n : int) (xs : [n])
let (unused : int) = xs[n + 1]
in (n)
