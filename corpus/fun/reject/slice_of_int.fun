-- An int has no slices.
-- rejects: T-SLICE type
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [1]) = n[1 : 1]
in (zs)
