-- One range for two dimensions.
-- rejects: T-UPDATE rank
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n][m]) = copy ys
let (us : [n][m]) = zs with [1 : n] = 0
in (us)
