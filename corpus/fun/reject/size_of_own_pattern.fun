-- A size is computed from a name of the same pattern.
-- rejects: T-VAR scope
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (s : int) (zs : [s + 1]) = if n then in (1, [1, 2]) else in (1, [3, 4])
in (s, zs)
