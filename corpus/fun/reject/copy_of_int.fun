-- A number is not copied.
-- rejects: T-INDEX type
param (n : int) (m : int) (xs : [n]) (ys : [n][m])
in (copy n)
