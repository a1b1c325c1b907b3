-- A slice is bound to an int's name, though it has one element.
-- rejects: T-SLICE pattern
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (x : int) = xs[1 : 1]
in (x)
