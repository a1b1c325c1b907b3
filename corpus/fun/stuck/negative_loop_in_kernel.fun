-- The loop of a thread has a negative number of rounds.
-- input: 4
-- stuck: E-LOOP count
-- input: 1200
-- stuck: E-LOOP count
param (n : int)
let (xs : [n]) = kernel i <= n do
  let (x : int) = loop (x : int = 0) for k <= 3 - i do
    in (x + k)
  in (x)
in (xs)
