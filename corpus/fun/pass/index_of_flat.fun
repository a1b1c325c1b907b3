-- The fourth element of the rows 0, 1, ..., x - 1 one after the other.
-- input: 2
-- result: 1
-- input: 10
-- result: 3
param (x : int)
let (count : [x]) = kernel i <= x do
  in (i - 1)
let (rows : [x][x]) = replicate x count
let (flat : [x * x]) = kernel k <= x * x do
  in (rows[(k - 1) / x + 1, (k - 1) % x + 1])
in (flat[4])
