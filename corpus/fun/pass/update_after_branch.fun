-- An array that comes out of a branch is updated; the other arrays stay.
-- input: 1, 3
-- result: [1, 7, 7], [1, 2, 3], [-1, -2, -3]
-- input: 0, 3
-- result: [-1, 7, 7], [1, 2, 3], [-1, -2, -3]
param (c : int) (n : int)
let (xs : [n]) = iota n
let (ys : [n]) = kernel i <= n do
  in (-i)
let (zs : [n]) = if c then in (copy xs) else in (copy ys)
let (us : [n]) = zs with [n : n - 1 : -1] = 7
in (us, xs, ys)
