-- The size of a parameter is a parameter behind it.
-- rejects: T-PARAM scope
param (xs : [n]) (n : int)
in (xs)
