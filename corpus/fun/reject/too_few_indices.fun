-- One index for two dimensions.
-- rejects: T-INDEX rank
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (x : int) = ys[1]
in (x)
