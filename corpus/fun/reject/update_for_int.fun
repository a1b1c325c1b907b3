-- An updated array is bound to an int's name.
-- rejects: T-UPDATE pattern
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n]) = copy xs
let (x : int) = zs with [1] = 0
in (x)
