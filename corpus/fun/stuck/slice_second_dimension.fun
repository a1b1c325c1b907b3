-- A block that is too wide.
-- input: 2, 3, [[1, 2, 3], [4, 5, 6]]
-- stuck: E-SLICE slice
param (n : int) (m : int) (xs : [n][m])
let (block : [1][2]) = xs[n : 1, m : 2]
in (block)
