-- An element of an array that an update consumed.
-- rejects: T-INDEX consumed
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n]) = copy xs
let (us : [n]) = zs with [1] = 0
in (us, zs[1])
