-- A loop in a thread walks off the array.
-- input: 4, [1, 2, 3, 4], 2
-- stuck: E-INDEX index
param (n : int) (xs : [n]) (rounds : int)
let (ys : [n]) = kernel i <= n do
  let (place : int) (sum : int) = loop (place : int = i) (sum : int = 0) for k <= rounds do
    in (place + 1, sum + xs[place])
  in (sum)
in (ys)
