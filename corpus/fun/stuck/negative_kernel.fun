-- A kernel of a negative number of threads.
-- input: -1
-- stuck: E-KERNEL size
-- input: -2147483648
-- stuck: E-KERNEL size
param (n : int)
let (xs : [n]) = kernel i <= n do
  in (i)
in (xs)
