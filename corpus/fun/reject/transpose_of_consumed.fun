-- A matrix that an update consumed.
-- rejects: T-TRANSPOSE consumed
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n][m]) = copy ys
let (us : [n][m]) = zs with [1, 1] = 0
let (vs : [m][n]) = transpose zs
in (us, vs)
