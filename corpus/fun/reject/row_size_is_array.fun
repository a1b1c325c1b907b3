-- The size of the rows is an array.
-- rejects: T-KERNEL type
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n][xs]) = kernel i <= n do
  in (xs)
in (zs)
