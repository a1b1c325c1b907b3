-- A loop of a negative number of rounds.
-- input: -1
-- stuck: E-LOOP count
-- input: -2147483648
-- stuck: E-LOOP count
param (n : int)
let (x : int) = loop (x : int = 0) for i <= n do
  in (x + i)
in (x)
