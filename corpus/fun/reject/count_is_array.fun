-- The number of threads is an array.
-- rejects: T-KERNEL type
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n]) = kernel i <= xs do
  in (i)
in (zs)
