-- The front of an array becomes its own back, which overlaps it.
-- input: 9, [1, 2, 3, 4, 5, 6, 7, 8, 9]
-- result: [4, 5, 6, 7, 8, 9, 7, 8, 9]
-- input: 3, [1, 2, 3]
-- result: [1, 2, 3]
param (n : int) (xs : [n])
let (mine : [n]) = copy xs
let (back : [n - 3]) = mine[4 : n - 3]
let (ys : [n]) = mine with [1 : n - 3] = back
in (ys)
