-- Bitwise not.
-- input: 3, [1, 255, 0]
-- result: [-2, -256, -1]
-- input: 2, [-2147483648, 2147483647]
-- result: [2147483647, -2147483648]
param (n : int) (xs : [n])
let (ys : [n]) = kernel i <= n do
  in (~xs[i])
in (ys)
