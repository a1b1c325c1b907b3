-- What would get stuck stands in the branch that is not taken.
-- input: 2, [8, 9], 2
-- result: 9
-- input: 2, [8, 9], 3
-- result: 0
-- input: 0, [], 0
-- result: 0
param (n : int) (xs : [n]) (i : int)
let (safe : int) = (1 <= i) & (i <= n)
let (x : int) = if safe
  then
    in (xs[i])
  else
    in (0)
in (x)
