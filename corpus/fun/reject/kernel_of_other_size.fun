-- The pattern says another size than the number of threads.
-- rejects: T-KERNEL size
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [m]) = kernel i <= n do
  in (i)
in (zs)
