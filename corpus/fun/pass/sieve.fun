-- Primes: multiples are struck out in place, by slices with a stride.
-- input: 20
-- result: [0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0]
-- input: 2
-- result: [0, 1]
param (n : int)
let (all : [n]) = replicate n 1
let (from_2 : [n]) = all with [1] = 0
let (primes : [n]) = loop (acc : [n] = from_2) for k <= n / 2 do
  let (first : int) = 2 * k
  let (count : int) = if k == 1 then in (0) else in ((n - first) / k + 1)
  let (next : [n]) = acc with [first : count : k] = 0
  in (next)
in (primes)
