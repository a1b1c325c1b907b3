-- A program without parameters that returns a number.
-- result: 42
in (42)
