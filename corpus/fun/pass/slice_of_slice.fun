-- Slices of slices add their offsets and multiply their strides.
-- input: 10, [10, 11, 12, 13, 14, 15, 16, 17, 18, 19]
-- result: [10, 12, 14, 16, 18], [16, 14, 12], [14]
param (n : int) (xs : [n])
let (odd : [n / 2]) = xs[1 : n / 2 : 2]
let (back : [3]) = odd[4 : 3 : -1]
let (one : [1]) = back[2 : 1]
in (odd, back, one)
