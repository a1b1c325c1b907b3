-- A carried array of a fixed size gets another one.
-- rejects: T-RESULT size
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n]) = loop (zs : [n] = xs) for i <= 2 do
  in (zs[1 : 1])
in (zs)
