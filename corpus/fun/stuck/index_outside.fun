-- An index that no element has: 0, one past the end, far out, and any in an empty array.
-- input: 3, [7, 8, 9], 0
-- stuck: E-INDEX index
-- input: 3, [7, 8, 9], 4
-- stuck: E-INDEX index
-- input: 3, [7, 8, 9], -1
-- stuck: E-INDEX index
-- input: 3, [7, 8, 9], 2147483647
-- stuck: E-INDEX index
-- input: 0, [], 1
-- stuck: E-INDEX index
param (n : int) (xs : [n]) (i : int)
in (xs[i])
