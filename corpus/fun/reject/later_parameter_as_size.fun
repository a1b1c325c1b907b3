-- The size of a parameter is a parameter behind it.
-- rejects: T-VAR scope
param (xs : [n]) (n : int)
in (xs)
