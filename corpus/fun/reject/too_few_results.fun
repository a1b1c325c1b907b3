-- Two names and one result.
-- rejects: T-RESULT arity
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (a : int) (b : int) = if n then in (1) else in (1, 2)
in (a, b)
