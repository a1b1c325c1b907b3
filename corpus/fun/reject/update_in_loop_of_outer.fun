-- The second round would find the array consumed.
-- rejects: T-UPDATE consumable
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n]) = copy xs
let (us : [n]) = loop (acc : [n] = xs) for i <= 2 do
  let (next : [n]) = zs with [i] = 0
  in (next)
in (us)
