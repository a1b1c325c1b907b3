-- Both quotients are stuck; the left one is evaluated first.
-- input: 0, 0
-- stuck: E-SCALAR division
-- input: 1, 0
-- stuck: E-SCALAR division
-- input: 0, 1
-- stuck: E-SCALAR division
param (a : int) (b : int)
in (1 / a + 2 % b)
