-- A kernel gives an array, though it has one thread.
-- rejects: T-KERNEL pattern
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (x : int) = kernel i <= 1 do
  in (i)
in (x)
