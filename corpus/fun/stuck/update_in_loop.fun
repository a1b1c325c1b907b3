-- The last round writes past the end.
-- input: 3, [1, 2, 3]
-- stuck: E-UPDATE slice
param (n : int) (xs : [n])
let (ys : [n]) = loop (acc : [n] = xs) for i <= n do
  let (next : [n]) = acc with [i + 1] = acc[i]
  in (next)
in (ys)
