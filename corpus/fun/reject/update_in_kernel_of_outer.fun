-- Every thread would write into one array.
-- rejects: T-UPDATE consumable
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n]) = copy xs
let (us : [n][n]) = kernel i <= n do
  let (row : [n]) = zs with [i] = 0
  in (row)
in (us)
