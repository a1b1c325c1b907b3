-- The sum of a slice that varies with the thread.
-- input: 5, [1, 2, 3, 4, 5], 2, [-5, 7], [2, 3], [3, 4]
-- result: [-2, 11]
-- input: 5, [1, 2, 3, 4, 5], 2, [1, 2], [0, 4], [5, 4]
-- result: [20, 0]
param (n : int) (xs : [n]) (q : int) (add : [q]) (from : [q]) (to : [q])
let (sums : [q]) = kernel k <= q do
  let (size : int) = to[k] - from[k]
  let (part : [size]) = xs[from[k] + 1 : size]
  let (sum : int) = loop (sum : int = 0) for i <= size do
    in (sum + part[i] + add[k])
  in (sum)
in (sums)
