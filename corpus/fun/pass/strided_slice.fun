-- A slice with a stride, up and down; a stride of zero repeats one element.
-- input: 10, 5, 3, 2
-- result: [4, 6, 8]
-- input: 10, 10, 3, -2
-- result: [9, 7, 5]
-- input: 8, 8, 1, 2
-- result: [7]
-- input: 5, 3, 4, 0
-- result: [2, 2, 2, 2]
-- input: 5, 6, 0, 1
-- result: []
-- input: 5, 0, 0, -3
-- result: []
-- input: 0, 1, 0, 1
-- result: []
-- fires: E-SLICE
param (n : int) (offset : int) (size : int) (stride : int)
let (xs : [n]) = kernel i <= n do
  in (i - 1)
in (xs[offset : size : stride])
