-- A loop without rounds and a kernel without threads get nowhere near their bodies.
-- input: 2, [8, 9]
-- result: 3, [8, 9], []
param (n : int) (xs : [n])
let (x : int) (ys : [n]) = loop (x : int = 3) (ys : [n] = xs) for i <= 0 do
  in (1 / 0, xs[5 : n])
let (zs : [0]) = kernel i <= 0 do
  in (xs[100])
in (x, ys, zs)
