-- How tightly the operators bind, and that they associate to the left.
-- input: 5, 3, -2
-- result: -1, 0, 1
-- input: 1, 2, 3
-- result: -13, -3, 1
-- input: -9, 4, 100
-- result: -394, 7, 0
param (a : int) (b : int) (c : int)
let (x : int) = a - b - c * 2 << 1 | a & b ^ c
let (y : int) = -a + ~b * (c - (a - b)) % 7 - -3
let (z : int) = (a < b) == (b < c) & min(a, b - c) + max(-5, c) >> 1
in (x, y, z)
