-- The number of rounds is an array.
-- rejects: T-LOOP type
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (x : int) = loop (x : int = 0) for i <= xs do
  in (x)
in (x)
