-- A slice that is longer than the array becomes a count.
-- input: 5000
-- stuck: E-UPDATE slice
-- input: 5
-- stuck: E-UPDATE slice
param (k : int)
let (source : [k]) = kernel i <= k do
  in (i - 1)
let (target : [5]) = kernel i <= 5 do
  in (i - 1)
let (result : [5]) = target with [2 : k] = source
in (result)
