-- A result that has all of a block to itself is given as it is; a second result in the same block, a
-- view, a parameter and what comes out of an `if` are copied.
-- input: 0, []
-- result: empty[0][0], empty[0][0], empty[0][0], [], [], []
-- input: 2, [5, 6]
-- result: [[5, 6], [10, 12]], [[5, 6], [10, 12]], [[5, 10], [6, 12]], [6, 5], [5, 6], [5, 6]
-- after insert_memory: copy 6, alloc 10
-- after elide_copies: copy 5, alloc 9
-- after device: launches 2, invocations 4
param (n : int) (xs : [n])
let (rows : [n][n]) = kernel i <= n do
  let (row : [n]) = kernel j <= n do
    in (xs[j] * i)
  in (row)
let (columns : [n][n]) = transpose rows
let (ys : [n]) = if n > 5
  then
    in (iota n)
  else
    in (copy xs)
in (rows, rows, columns, xs[n : n : -1], xs, ys)
