-- A consumed array is no number of threads either.
-- rejects: T-KERNEL type
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n]) = copy xs
let (us : [n]) = zs with [1] = 0
let (vs : [n]) = kernel i <= zs do
  in (i)
in (us, vs)
