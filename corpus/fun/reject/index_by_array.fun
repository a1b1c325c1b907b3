-- An array is no index.
-- rejects: T-INDEX type
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (x : int) = xs[xs]
in (x)
