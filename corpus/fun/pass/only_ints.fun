-- A program without arrays.
-- input: 48, 36
-- result: 12
-- input: 17, 5
-- result: 1
-- input: 0, 9
-- result: 9
param (a : int) (b : int)
let (x : int) (y : int) = loop (x : int = a) (y : int = b) for i <= 40 do
  let (u : int) (v : int) = if y == 0 then in (x, y) else in (y, x % y)
  in (u, v)
in (x)
