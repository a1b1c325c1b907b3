-- A block of a matrix with strides in both dimensions, turned.
-- input: 4, 5, [[11, 12, 13, 14, 15], [21, 22, 23, 24, 25], [31, 32, 33, 34, 35], [41, 42, 43, 44, 45]]
-- result: [[41, 43, 45], [21, 23, 25]], [[45, 25], [43, 23], [41, 21]]
param (n : int) (m : int) (xs : [n][m])
let (block : [2][3]) = xs[4 : 2 : -2, 1 : 3 : 2]
let (turned : [3][2]) = transpose block
in (block, turned[3 : 3 : -1, 1 : 2])
