-- The size of a parameter is an array.
-- rejects: T-PARAM type
param (n : int) (xs : [n]) (ys : [xs])
in (ys)
