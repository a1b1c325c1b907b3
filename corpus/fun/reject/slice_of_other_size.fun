-- The pattern says another size than the slice.
-- rejects: T-SLICE size
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n]) = xs[1 : 2]
in (zs)
