-- A consumed array is no number of rounds either.
-- rejects: T-LOOP type
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n]) = copy xs
let (us : [n]) = zs with [1] = 0
let (x : int) = loop (x : int = 0) for i <= zs do
  in (x)
in (us, x)
