-- The size beside the array is not that of the array.
-- rejects: T-RESULT size
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (s : int) (zs : [s]) = if n then in (n, xs) else in (m, xs)
in (s, zs)
