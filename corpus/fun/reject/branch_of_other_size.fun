-- One branch gives an array of another size than the pattern.
-- rejects: T-RESULT size
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n]) = if n then in (xs) else in (xs[1 : 1])
in (zs)
