-- The pattern says another size than what the loop carries.
-- rejects: T-LOOP size
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [m]) = loop (zs : [n] = xs) for i <= 2 do
  in (zs)
in (zs)
