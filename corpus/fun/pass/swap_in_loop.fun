-- Carried values change at once: Fibonacci numbers, and two arrays that change places.
-- input: 10, 2, [1, 2], [3, 4]
-- result: 55, [1, 2], [3, 4]
-- input: 51, 1, [1], [2]
-- result: -1109825406, [2], [1]
-- input: 0, 0, [], []
-- result: 0, [], []
param (n : int) (m : int) (xs : [m]) (ys : [m])
let (a : int) (b : int) (us : [m]) (vs : [m]) =
  loop (a : int = 0) (b : int = 1) (us : [m] = xs) (vs : [m] = ys) for i <= n do
    in (b, a + b, vs, us)
in (a, us, vs)
