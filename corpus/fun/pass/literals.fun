-- Array literals of rank 1 and 2, with expressions in them.
-- input: 4
-- result: [], [4], [7, -4, 16, 7, 3], [[1, 4, 3], [7, 5, 6]], []
param (n : int)
let (empty : [0]) = []
let (one : [1]) = [n]
let (row : [5]) = [7, -n, n * n, 7, one[1] - 1]
let (matrix : [2][3]) = [[1, n, 3], [n + 3, 5, 6]]
in (empty, one, row, matrix, [])
