-- Rows of a replicated array.
-- input: 2, [1, 2]
-- result: [[1, 2], [1, 2]]
-- input: 0, []
-- result: empty[2][0]
param (m : int) (row : [m])
let (rows : [3][m]) = replicate 3 row
in (rows[2 : 2, 1 : m])
