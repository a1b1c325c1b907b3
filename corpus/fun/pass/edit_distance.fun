-- How many changes make one array of the other; one row is updated in place.
-- input: 6, 7, [10, 8, 19, 19, 4, 13], [18, 8, 19, 19, 8, 13, 6]
-- result: 3
-- input: 0, 2, [], [1, 2]
-- result: 2
-- input: 3, 3, [1, 2, 3], [1, 2, 3]
-- result: 0
param (n : int) (m : int) (xs : [n]) (ys : [m])
let (first : [m + 1]) = kernel j <= m + 1 do
  in (j - 1)
let (last : [m + 1]) = loop (row : [m + 1] = first) for i <= n do
  let (corner : int) = row[1]
  let (started : [m + 1]) = row with [1] = i
  let (d : int) (done : [m + 1]) =
    loop (diagonal : int = corner) (acc : [m + 1] = started) for j <= m do
      let (above : int) = acc[j + 1]
      let (change : int) = diagonal + (xs[i] != ys[j])
      let (best : int) = min(change, min(above, acc[j]) + 1)
      let (next : [m + 1]) = acc with [j + 1] = best
      in (above, next)
  in (done)
in (last[m + 1])
