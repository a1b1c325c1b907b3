-- A transposed matrix is bound to an int's name.
-- rejects: T-TRANSPOSE pattern
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (x : int) = transpose ys
in (x)
