-- Sizes are names: that both are 2 in some run is no proof.
-- rejects: T-KERNEL size
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (k : int) = n * 1
let (zs : [n]) = kernel i <= k do
  in (i)
in (zs)
