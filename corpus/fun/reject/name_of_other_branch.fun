-- A name of one branch is used in the other.
-- rejects: T-VAR scope
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (x : int) = if n
  then
    let (inner : int) = 1
    in (inner)
  else
    in (inner)
in (x)
