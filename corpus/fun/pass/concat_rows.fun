-- Two matrices, one below the other.
-- input: 2, 1, 2, [[1, 2], [3, 4]], [[5, 6]]
-- result: [[1, 2], [3, 4], [5, 6]]
-- input: 0, 1, 2, empty[0][2], [[5, 6]]
-- result: [[5, 6]]
param (n : int) (m : int) (l : int) (xs : [n][l]) (ys : [m][l])
in (concat xs ys)
