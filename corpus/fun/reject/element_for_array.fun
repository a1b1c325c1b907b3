-- An element is bound to an array's name.
-- rejects: T-INDEX pattern
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n]) = xs[1]
in (zs)
