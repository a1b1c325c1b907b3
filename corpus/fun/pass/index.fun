-- One element.
-- input: 5, [4, 3, 2, 1, 0], 2
-- result: 3
-- input: 1, [-8], 1
-- result: -8
-- fires: E-INDEX
param (n : int) (xs : [n]) (i : int)
in (xs[i])
