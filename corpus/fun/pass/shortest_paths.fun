-- Floyd and Warshall: shortest paths between all nodes of a graph.
-- input: 4, [[0, 3, 1000000, 7], [8, 0, 2, 1000000], [5, 1000000, 0, 1], [2, 1000000, 1000000, 0]]
-- result: [[0, 3, 5, 6], [5, 0, 2, 3], [3, 6, 0, 1], [2, 5, 7, 0]]
-- after device: launches 4, invocations 16
param (n : int) (lengths : [n][n])
let (paths : [n][n]) = loop (old : [n][n] = lengths) for k <= n do
  let (new : [n][n]) = kernel i <= n do
    let (row : [n]) = kernel j <= n do
      in (min(old[i, j], old[i, k] + old[k, j]))
    in (row)
  in (new)
in (paths)
