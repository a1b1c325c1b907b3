-- The rows of a kernel would differ in size.
-- rejects: T-RESULT size
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n][n]) = kernel i <= n do
  in (iota i)
in (zs)
