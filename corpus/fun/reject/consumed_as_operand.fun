-- An array that was consumed is no operand either.
-- rejects: T-VAR type
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (zs : [n]) = copy xs
let (us : [n]) = zs with [1] = 0
let (x : int) = zs + 1
in (us, x)
