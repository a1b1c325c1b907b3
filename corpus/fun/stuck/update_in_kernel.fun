-- A thread updates an element that its own array has not.
-- input: 4
-- stuck: E-UPDATE slice
param (n : int)
let (rows : [n][3]) = kernel i <= n do
  let (fresh : [3]) = [1, 0, 0]
  let (row : [3]) = fresh with [i] = i
  in (row)
in (rows)
