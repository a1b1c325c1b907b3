-- A parameter belongs to the caller.
-- rejects: T-UPDATE consumable
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (us : [n]) = xs with [1] = 0
in (us)
