-- Slices that leave the array, at either end, or are of negative size.
-- input: 3, [7, 8, 9], 2, 3
-- stuck: E-SLICE slice
-- input: 3, [7, 8, 9], 0, 1
-- stuck: E-SLICE slice
-- input: 3, [7, 8, 9], 4, 1
-- stuck: E-SLICE slice
-- input: 3, [7, 8, 9], 1, -1
-- stuck: E-SLICE slice
-- input: 3, [7, 8, 9], 5, 0
-- stuck: E-SLICE slice
-- input: 3, [7, 8, 9], -1, 0
-- stuck: E-SLICE slice
-- input: 0, [], 1, 1
-- stuck: E-SLICE slice
-- input: 3, [7, 8, 9], 2147483647, 2147483647
-- stuck: E-SLICE slice
param (n : int) (xs : [n]) (offset : int) (size : int)
let (ys : [size]) = xs[offset : size]
in (size)
