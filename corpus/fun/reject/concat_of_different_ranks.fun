-- A vector and a matrix one after the other.
-- rejects: T-INDEX rank
param (n : int) (m : int) (xs : [n]) (ys : [n][m])
in (concat xs ys)
