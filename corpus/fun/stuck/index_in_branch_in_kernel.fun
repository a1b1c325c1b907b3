-- Only the threads of one branch read, and one of them too far.
-- input: 6, [1, 2, 3, 4, 5, 6]
-- stuck: E-INDEX index
param (n : int) (xs : [n])
let (ys : [n]) = kernel i <= n do
  let (y : int) = if i % 3 == 0
    then
      in (xs[i + 2])
    else
      in (0)
  in (y)
in (ys)
