-- What is written was consumed.
-- rejects: T-UPDATE consumed
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n]) = copy xs
let (us : [n]) = zs with [1] = 0
let (vs : [n]) = us with [1 : n] = zs
in (vs)
