-- Each thread searches a sorted array by halving.
-- input: 40, [-2119764048, -1970164094, -1879591296, -1731686478, -1585405828, -1493127326, -1345731524, -1253061326, -1196222006, -1105913860, -956555638, -865856324, -717398422, -626568836, -569202392, -478224854, -329677048, -239100406, -92231736, 55200922, 148260712, 296560794, 387389608, 442824156, 535564250, 681915932, 774852378, 922121820, 1013869914, 1071168866, 1162380892, 1308745874, 1401415324, 1459275200, 1549680578, 1697999152, 1788835858, 1935947616, 2027699298, 2083179954], 4, [-1731686478, -2119764048, 2083179954, 148260713], 6
-- result: [3, 0, 39, 21]
-- input: 0, [], 1, [5], 3
-- result: [0]
param (n : int) (keys : [n]) (q : int) (wanted : [q]) (steps : int)
let (places : [q]) = kernel k <= q do
  let (low : int) (high : int) = loop (low : int = 0) (high : int = n) for s <= steps do
    let (l : int) (h : int) = if low < high
      then
        let (middle : int) = (low + high) / 2
        let (l : int) (h : int) = if keys[middle + 1] < wanted[k]
          then in (middle + 1, high)
          else in (low, middle)
        in (l, h)
      else
        in (low, high)
    in (l, h)
  in (low)
in (places)
