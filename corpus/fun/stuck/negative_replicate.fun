-- A derived form is a kernel, and gets stuck as one.
-- input: -5
-- stuck: E-KERNEL size
param (n : int)
let (xs : [n]) = replicate n 5
in (xs)
