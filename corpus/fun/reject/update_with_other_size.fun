-- What is written is longer than the slice.
-- rejects: T-UPDATE size
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n]) = copy xs
let (us : [n]) = zs with [1 : 2] = xs
in (us)
