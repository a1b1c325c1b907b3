-- An array is no offset.
-- rejects: T-SLICE type
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [1]) = xs[xs : 1]
in (zs)
