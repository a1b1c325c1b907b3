-- What is written was computed from another part of the same array, or the same part.
-- input: 6
-- result: [0, 6, 7, 0, 4, 5, 6, 7, 8, 9]
-- input: 2
-- result: [0, 2, 3, 0, 4, 5, 6, 7, 8, 9]
param (shift : int)
let (xs : [10]) = kernel i <= 10 do
  in (i - 1)
let (part : [3]) = kernel i <= 3 do
  let (x : int) = if i == 3 then in (0) else in (xs[i + shift])
  in (x)
let (ys : [10]) = xs with [2 : 3] = part
in (ys)
