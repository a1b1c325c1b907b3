-- The inner kernels of three rounds are loops that each round may end early, by the check of an index whose lower
-- bound is a constant and whose upper one goes by the thread. Mesa 22.3.6 drops the end of such a loop if the check is
-- written as the negation of a conjunction.
-- input: 4, [3, 4, 7, 3]
-- result: [15, 18, 21, 24]
param (n : int) (ms : [n])
let (zs : [n]) = kernel i <= n do
  let (m : int) = ms[i]
  let (xs : [m]) = kernel k <= m do
    in (k + k)
  let (ys : [3]) = kernel j <= 3 do
    let (x : int) = xs[j]
    in (x + i)
  let (a : int) = ys[1]
  let (b : int) = ys[2]
  let (c : int) = ys[3]
  let (ab : int) = a + b
  in (ab + c)
in (zs)
