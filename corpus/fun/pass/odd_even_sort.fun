-- Neighbours are put in order, odd and even places by turns.
-- input: 7, [5, -3, 9, 0, 5, 2, -8]
-- result: [-8, -3, 0, 2, 5, 5, 9]
-- input: 2, [2, 1]
-- result: [1, 2]
-- input: 0, []
-- result: []
param (n : int) (xs : [n])
let (sorted : [n]) = loop (old : [n] = xs) for round <= n do
  let (new : [n]) = kernel i <= n do
    let (first : int) = i % 2 == round % 2
    let (partner : int) = if first then in (i + 1) else in (i - 1)
    let (alone : int) = (partner < 1) | (partner > n)
    let (x : int) = if alone
      then
        in (old[i])
      else
        let (x : int) = if first
          then in (min(old[i], old[partner]))
          else in (max(old[i], old[partner]))
        in (x)
    in (x)
  in (new)
in (sorted)
