-- One range for two dimensions.
-- rejects: T-SLICE rank
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [1]) = ys[1 : 1]
in (zs)
