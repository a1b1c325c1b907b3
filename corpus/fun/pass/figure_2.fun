-- The paper's figure 2: the branches return the size beside the array.
-- input: 3, 2, 1
-- result: 3, [1, 2, 3]
-- input: 3, 2, 0
-- result: 2, [1, 2]
-- input: 0, 2, -7
-- result: 0, []
-- fires: E-IF-TRUE, E-IF-FALSE, E-KERNEL
param (x_size : int) (y_size : int) (z_cond : int)
let (z_size : int) (z_arr : [z_size]) = if z_cond
  then
    let (x : [x_size]) = iota x_size
    in (x_size, x)
  else
    let (y : [y_size]) = iota y_size
    in (y_size, y)
in (z_size, z_arr)
