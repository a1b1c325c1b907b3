-- The size of a parameter is computed.
-- rejects: T-PARAM scope
param (n : int) (xs : [2 * n])
in (xs)
