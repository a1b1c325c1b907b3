-- Two arrays one after the other.
-- input: 2, 2, [1, 2], [3, 4]
-- result: [1, 2, 3, 4]
-- input: 0, 2, [], [3, 4]
-- result: [3, 4]
-- input: 1, 0, [9], []
-- result: [9]
-- input: 0, 0, [], []
-- result: []
param (n : int) (m : int) (xs : [n]) (ys : [m])
let (zs : [n + m]) = concat xs ys
in (zs)
