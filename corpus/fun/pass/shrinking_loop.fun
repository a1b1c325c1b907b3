-- A loop drops the first half, one element each round, and the rest is summed.
-- input: 5, [5, 3, 2, 1, 5]
-- result: 8
-- input: 7, [1, 2, 3, 4, 5, 6, 7]
-- result: 22
param (n : int) (xs : [n])
let (size : int) (rest : [size]) = loop (s : int = n) (part : [s] = xs) for i <= n / 2 do
  let (t : int) = s - 1
  in (t, part[2 : t])
let (sum : int) = loop (sum : int = 0) for i <= size do
  in (sum + rest[i])
in (sum)
