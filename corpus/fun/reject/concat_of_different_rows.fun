-- Rows of different sizes cannot stand below each other.
-- rejects: T-KERNEL size
param (n : int) (m : int) (xs : [n]) (ys : [n][m])
in (concat ys [[1, 2]])
