-- A scalar expression is bound to an array's name.
-- rejects: T-SCALAR pattern
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n]) = n + 1
in (zs)
