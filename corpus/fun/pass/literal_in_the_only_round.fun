-- A number that is 1 whatever the thread is computed in the only thread of a nested kernel, and again
-- behind it.
-- input: 2, [1]
-- result: [1, 1], [2, 2]
param (n : int) (xs : [1])
let (ys : [n]) (zs : [n]) = kernel i <= n do
  let (row : [1]) = kernel j <= 1 do
    let (one : int) = (n ^ i) % 1 + 1
    in (xs[one])
  let (one : int) = (n ^ i) % 1 + 1
  in (row[1], one + row[one])
in (ys, zs)
