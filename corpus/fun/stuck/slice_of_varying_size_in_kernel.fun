-- A thread takes a slice of a negative size.
-- input: 3, [1, 2, 3], 2, [0, 2], [3, 1]
-- stuck: E-SLICE slice
param (n : int) (xs : [n]) (q : int) (from : [q]) (to : [q])
let (sums : [q]) = kernel k <= q do
  let (size : int) = to[k] - from[k]
  let (part : [size]) = xs[from[k] + 1 : size]
  let (sum : int) = loop (sum : int = 0) for i <= size do
    in (sum + part[i])
  in (sum)
in (sums)
