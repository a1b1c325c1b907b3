-- Two prefixes of one array; the branch says which.
-- input: 1, 1, 2, 3, [1, 2, 3]
-- result: 2, [1, 2]
-- input: 0, 1, 2, 3, [1, 2, 3]
-- result: 1, [1]
param (b : int) (m : int) (n : int) (l : int) (xs : [l])
let (k : int) (prefix : [k]) = if b
  then
    in (n, xs[1 : n])
  else
    in (m, xs[1 : m])
in (k, prefix)
