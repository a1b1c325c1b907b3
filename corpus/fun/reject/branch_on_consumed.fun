-- A consumed array is no condition either.
-- rejects: T-IF type
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n]) = copy xs
let (us : [n]) = zs with [1] = 0
let (x : int) = if zs then in (1) else in (2)
in (us, x)
