-- Each thread has a literal of its own and updates it.
-- input: 3
-- result: [[1, 0, 0], [1, 1, 0], [1, 2, 0]]
-- input: 0
-- result: empty[0][3]
-- fires: E-UPDATE, E-IF-TRUE, E-IF-FALSE
param (x : int)
let (rows : [x][3]) = kernel y <= x do
  let (fresh : [3]) = [1, 0, 0]
  let (row : [3]) = fresh with [2] = y - 1
  in (row)
in (rows)
