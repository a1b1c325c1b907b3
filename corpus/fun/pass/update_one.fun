-- One element is replaced; the array before stays what it was.
-- input: 4, [1, 2, 3, 4], 3, 10
-- result: [1, 2, 10, 4], [1, 2, 3, 4]
param (n : int) (xs : [n]) (i : int) (x : int)
let (mine : [n]) = copy xs
let (ys : [n]) = mine with [i] = x
in (ys, xs)
