-- The first index is inside, the second is not.
-- input: 2, 3, [[1, 2, 3], [4, 5, 6]], 2, 4
-- stuck: E-INDEX index
-- input: 2, 3, [[1, 2, 3], [4, 5, 6]], 3, 3
-- stuck: E-INDEX index
-- input: 2, 0, empty[2][0], 1, 1
-- stuck: E-INDEX index
param (n : int) (m : int) (xs : [n][m]) (i : int) (j : int)
in (xs[i, j])
