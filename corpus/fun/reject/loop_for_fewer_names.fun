-- A loop that carries two values is bound to one name.
-- rejects: T-LOOP pattern
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (x : int) = loop (x : int = 0) (y : int = 1) for i <= n do
  in (y, x)
in (x)
