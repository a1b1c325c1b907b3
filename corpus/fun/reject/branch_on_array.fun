-- The condition is an array.
-- rejects: T-IF type
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (x : int) = if xs then in (1) else in (2)
in (x)
