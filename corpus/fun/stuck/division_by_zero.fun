-- A zero divisor, of a quotient and of a remainder.
-- input: 0, 7, 0
-- stuck: E-SCALAR division
-- input: 1, 7, 0
-- stuck: E-SCALAR division
-- input: 0, -2147483648, 0
-- stuck: E-SCALAR division
-- input: 1, 0, 0
-- stuck: E-SCALAR division
param (rem : int) (a : int) (b : int)
let (x : int) = if rem then in (a % b) else in (a / b)
in (x)
