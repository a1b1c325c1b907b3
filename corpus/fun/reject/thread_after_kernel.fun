-- The thread is bound only inside the kernel.
-- rejects: T-VAR scope
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n]) = kernel i <= n do
  in (i)
in (zs, i)
