-- A branch counts, the other repeats.
-- input: 1, 3
-- result: [0, 1, 2]
-- input: 0, 3
-- result: [1337, 1337, 1337]
-- input: 0, 0
-- result: []
param (c : int) (n : int)
let (ys : [n]) = if c
  then
    let (count : [n]) = kernel i <= n do
      in (i - 1)
    in (count)
  else
    in (replicate n 1337)
in (ys)
