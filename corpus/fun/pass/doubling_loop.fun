-- An array is joined to itself in every round.
-- input: 3, [1, 2, 3], 4
-- result: 48, [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3]
-- input: 2, [5, 6], 0
-- result: 2, [5, 6]
-- input: 0, [], 3
-- result: 0, []
param (n : int) (xs : [n]) (rounds : int)
let (size : int) (ys : [size]) = loop (s : int = n) (acc : [s] = xs) for i <= rounds do
  in (s + s, concat acc acc)
in (size, ys)
