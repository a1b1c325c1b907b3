-- A whole array is written through a slice that runs backwards.
-- input: 5, [1, 2, 3, 4, 5], [10, 20, 30, 40, 50]
-- result: [50, 40, 30, 20, 10]
-- input: 0, [], []
-- result: []
param (n : int) (xs : [n]) (ys : [n])
let (mine : [n]) = copy xs
let (zs : [n]) = mine with [n : n : -1] = ys
in (zs)
