-- A slice shares the elements of the array that an update consumed.
-- rejects: T-INDEX consumed
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n]) = copy xs
let (part : [2]) = zs[1 : 2]
let (us : [n]) = zs with [1] = 0
in (us, part[1])
