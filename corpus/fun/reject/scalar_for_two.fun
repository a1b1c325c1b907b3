-- A scalar expression is bound to two names.
-- rejects: T-SCALAR pattern
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (a : int) (b : int) = n + 1
in (a, b)
