-- A block in the middle of an array of rank 3 is filled.
-- result: [[[0, 0, 0], [0, 0, 0], [0, 0, 0]], [[0, 9, 0], [0, 0, 0], [0, 9, 0]], [[0, 9, 0], [0, 0, 0], [0, 9, 0]]]
let (zeros : [3][3][3]) = replicate 3 (replicate 3 (replicate 3 0))
let (filled : [3][3][3]) = zeros with [2 : 2, 3 : 2 : -2, 2 : 1] = 9
in (filled)
