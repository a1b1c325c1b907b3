-- A branch gives an array that was consumed before it.
-- rejects: T-RESULT consumed
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n]) = copy xs
let (us : [n]) = zs with [1] = 0
let (vs : [n]) = if n then in (zs) else in (us)
in (vs)
