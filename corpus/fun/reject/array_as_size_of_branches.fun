-- The size of what the branches give is an array.
-- rejects: T-RESULT size
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [xs]) = if n then in (xs) else in (xs)
in (zs)
