-- An array is no offset of an update.
-- rejects: T-UPDATE type
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n]) = copy xs
let (us : [n]) = zs with [xs : 1] = 0
in (us)
