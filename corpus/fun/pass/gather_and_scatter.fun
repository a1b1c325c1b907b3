-- A permutation applied by threads, and undone by updates in a loop.
-- input: 5, [50, 60, 70, 80, 90], [3, 1, 5, 2, 4]
-- result: [70, 50, 90, 60, 80], [50, 60, 70, 80, 90]
param (n : int) (xs : [n]) (places : [n])
let (gathered : [n]) = kernel i <= n do
  in (xs[places[i]])
let (back : [n]) = loop (acc : [n] = replicate n 0) for i <= n do
  let (next : [n]) = acc with [places[i]] = gathered[i]
  in (next)
in (gathered, back)
