-- An update past the end, before the start, and of a negative size.
-- input: 3, 3, 2, 1
-- stuck: E-UPDATE slice
-- input: 3, 0, 1, 1
-- stuck: E-UPDATE slice
-- input: 3, 1, -1, 1
-- stuck: E-UPDATE slice
-- input: 3, 1, 2, -1
-- stuck: E-UPDATE slice
-- input: 0, 1, 1, 1
-- stuck: E-UPDATE slice
param (n : int) (offset : int) (size : int) (stride : int)
let (xs : [n]) = iota n
let (ys : [n]) = xs with [offset : size : stride] = 0
in (ys)
