-- An element of three arrays in a row.
-- input: 2
-- result: 2
-- input: 5
-- result: 5
-- input: 8
-- result: 8
param (i : int)
let (front : [6]) = concat [1, 2, 3] [4, 5, 6]
let (all : [9]) = concat front [7, 8, 9]
in (all[i])
