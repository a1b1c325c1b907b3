-- The size of an array is a quotient.
-- input: 8, 0
-- stuck: E-SCALAR division
param (n : int) (k : int)
let (xs : [n / k]) = iota (n / k)
in (n)
