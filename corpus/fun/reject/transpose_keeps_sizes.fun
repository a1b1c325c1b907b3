-- Sizes of a transposed matrix in the old order.
-- rejects: T-TRANSPOSE size
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n][m]) = transpose ys
in (zs)
