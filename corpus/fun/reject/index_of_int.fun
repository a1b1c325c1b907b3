-- An int has no elements.
-- rejects: T-INDEX type
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (x : int) = n[1]
in (x)
