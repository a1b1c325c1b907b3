-- Two arrays change places in a loop whose rounds go by the thread. A thread that is not there would have
-- 2^32 - 1 rounds; lavapipe runs it in work groups of two, and then stops the loops of the others.
-- input: 2
-- result: [[1, 1], [1, 1]]
param (n0 : int)
let (a55 : [n0][n0]) = kernel i24 <= n0 do
  let (v25 : int) = 2 - i24
  let (a31 : [n0]) = kernel i <= n0 do
    in (1)
  let (j44 : [n0]) (j47 : [n0]) = loop (s33 : [n0] = a31) (s36 : [n0] = a31) for t37 <= v25 do
    in (s36, s33)
  in (j47)
in (a55)
