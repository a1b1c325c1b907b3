-- A slice of one count is another count.
-- input: 3
-- result: [0, 0, 1, 2, 4]
-- input: 4
-- result: [0, 0, 1, 2, 3]
-- input: 0
-- result: [0, 1, 2, 3, 4]
param (k : int)
let (source : [k]) = kernel i <= k do
  in (i - 1)
let (target : [5]) = kernel i <= 5 do
  in (i - 1)
let (result : [5]) = target with [2 : k] = source
in (result)
