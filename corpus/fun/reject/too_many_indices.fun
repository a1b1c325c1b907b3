-- Two indices for one dimension.
-- rejects: T-INDEX rank
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (x : int) = xs[1, 1]
in (x)
