-- An index past three arrays in a row, or before them.
-- input: 10
-- stuck: E-INDEX index
-- input: 0
-- stuck: E-INDEX index
param (i : int)
let (front : [6]) = concat [1, 2, 3] [4, 5, 6]
let (all : [9]) = concat front [7, 8, 9]
in (all[i])
