-- A loop turns a square again and again; no element moves.
-- input: 3, [[1, 2, 3], [4, 5, 6], [7, 8, 9]], 1
-- result: [[7, 4, 1], [8, 5, 2], [9, 6, 3]]
-- input: 3, [[1, 2, 3], [4, 5, 6], [7, 8, 9]], 2
-- result: [[9, 8, 7], [6, 5, 4], [3, 2, 1]]
-- input: 3, [[1, 2, 3], [4, 5, 6], [7, 8, 9]], 5
-- result: [[7, 4, 1], [8, 5, 2], [9, 6, 3]]
param (n : int) (xs : [n][n]) (times : int)
let (ys : [n][n]) = loop (view : [n][n] = xs) for i <= times do
  let (turned : [n][n]) = transpose view
  in (turned[1 : n, n : n : -1])
in (ys)
