-- A name that nothing binds.
-- rejects: T-VAR scope
param (n : int) (m : int) (xs : [n]) (ys : [n][m])
in (zs)
