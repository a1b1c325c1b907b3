-- A carried array starts from an int.
-- rejects: T-RESULT type
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n]) = loop (zs : [n] = m) for i <= 2 do
  in (zs)
in (zs)
