-- An int is updated.
-- rejects: T-UPDATE type
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (x : int) = n with [1] = 0
in (x)
