-- The stride leaves the array before the size is reached.
-- input: 10, 10, 10, -2
-- stuck: E-SLICE slice
-- input: 10, 2, 4, 3
-- stuck: E-SLICE slice
-- input: 10, 11, 2, 0
-- stuck: E-SLICE slice
-- input: 10, 1, 3, 2147483647
-- stuck: E-SLICE slice
param (n : int) (offset : int) (size : int) (stride : int)
let (xs : [n]) = iota n
in (xs[offset : size : stride])
