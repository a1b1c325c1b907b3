-- A transposed parameter is the parameter still.
-- rejects: T-UPDATE consumable
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [m][n]) = transpose ys
let (us : [m][n]) = zs with [1, 1] = 0
in (us)
