-- An array is updated after an update consumed it.
-- rejects: T-UPDATE consumed
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n]) = copy xs
let (us : [n]) = zs with [1] = 0
let (vs : [n]) = zs with [2] = 0
in (us, vs)
