-- A vector has one dimension.
-- rejects: T-TRANSPOSE rank
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n]) = transpose xs
in (zs)
