-- An array is added to a number.
-- rejects: T-VAR type
param (n : int) (m : int) (xs : [n]) (ys : [n][m])

let (x : int) = n + xs
in (x)
