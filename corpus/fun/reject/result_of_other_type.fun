-- The branches give different types.
-- rejects: T-RESULT type
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (a : int) = if n then in (1) else in (xs)
in (a)
