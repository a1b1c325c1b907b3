//! Programs above the level of the grid, and chunks that are forced at a location of another level.

use super::agrees;

#[test]
fn chunks_above_the_grid() {
    for (inner, sizes) in [
        ("push <grid> (map (fn x => 60 / x) c)", 4),
        ("concat 2 (map (fn b => push <block> (map (fn x => 60 / x) b)) (splitUp 2 c))", 4),
    ] {
        for order in [
            "concat 4",
            "interleave 4 (fn (i, j) => j * (length xs / 4) + i)",
            "interleave 4 (fn (i, j) => i * 4 + j - index xs i / 9)",
        ] {
            agrees(
                &format!(
                    "sig main : [int] -> [int]<1+grid>
                     fun main xs = splitUp {sizes} xs |> map (fn c => {inner}) |> {order}"
                ),
                &[
                    "[1, 2, 3, 4, 5, 6, 7, 8]",
                    "[1, 2, 3, 4, 5, 6, 0, 8]",
                    "[9, 1, 1, 1]",
                    "[1, 9, 3, 4, 5, 6, 7, 8, 1, 1, 1, 1]",
                    "[]",
                ],
            );
        }
    }
}

#[test]
fn two_levels_above_the_grid() {
    for order in
        ["concat 4", "interleave 4 (fn (i, j) => j * 2 + i)", "interleave 4 (fn (i, j) => j)"]
    {
        agrees(
            &format!(
                "sig main : [int] -> [int]<1+1+grid>
                 fun main xs = splitUp 4 xs |> map (fn half => splitUp 2 half
                   |> map (fn c => let a = force (push <1+1+grid> xs) in push <grid> (map (fn x => 60 / x + index a 0) c)) |> concat 2)
                   |> {order}"
            ),
            &["[1, 2, 3, 4, 5, 6, 7, 8]", "[1, 2, 3, 4, 5, 6, 0, 8]"],
        );
        agrees(
            &format!(
                "sig main : [int] -> [int]<1+1+grid>
                 fun main xs = splitUp 4 xs |> map (fn half => splitUp 2 half
                   |> map (fn c => let a = force (push <grid> (map (fn x => 60 / x) c)) in push <grid> (map (fn x => x + index a 1) c)) |> concat 2)
                   |> {order}"
            ),
            &["[1, 2, 3, 4, 5, 6, 7, 8]", "[1, 2, 3, 4, 5, 6, 0, 8]", "[]"],
        );
    }
}

#[test]
fn elements_and_loops_above_the_grid() {
    agrees(
        "sig main : int -> [int] -> [int]<1+grid>
         fun main n xs = push <1+grid> (while (fn a => index a 0 < n)
           (fn a => splitUp 2 a |> map (fn c => push <grid> (map (fn x => x + 1 + 0 * (12 / (9 - x))) c)) |> interleave 2 (fn (i, j) => (1 - i) * 2 + j))
           (push <1+grid> xs))",
        &["9, [1, 2, 3, 4]", "2, [0, 1, 2, 3]", "5, [1, 2, 3, 4]"],
    );
}

#[test]
fn chunks_at_a_location_of_another_level() {
    for (level, forced) in [
        (
            "grid",
            "concat 2 (map (fn c => push <warp> (map (addi (6 / index xs 1)) c)) (splitUp 2 xs))",
        ),
        (
            "grid",
            "concat 2 (map (fn c => push <warp> (generate (6 / index c 0) (fn i => i))) (splitUp 2 xs))",
        ),
        ("grid", "concat 2 (map (fn c => push <grid> c) (splitUp 2 xs))"),
        ("grid", "concat (index xs 0) (map (fn c => push <thread> c) (splitUp 2 xs))"),
        ("block", "concat 2 (map (fn c => push <thread> c) (splitUp (index xs 0) xs))"),
        (
            "block",
            "interleave 2 (fn (i, j) => j) (map (fn c => push <block> (map (divi 4) c)) (splitUp 2 xs))",
        ),
        (
            "block",
            "if index xs 0 < 1 then push <grid> xs else concat 2 (map (fn c => push <block> c) (splitUp 2 xs))",
        ),
        (
            "block",
            "concat 4 (generate 2 (fn i => concat (8 / index xs i) (generate 2 (fn j => push <block> xs))))",
        ),
        (
            "warp",
            "concat 2 (map (fn c => concat 1 (map (fn x => push <thread> [x]) c)) (splitUp 2 xs))",
        ),
    ] {
        agrees(
            &format!(
                "sig main : [int] -> [int]<{level}> fun main xs = let made = fn xs => {forced} a = force (made xs) in push <{level}> (map (fn x => x + length a) xs)"
            ),
            &["[1, 2, 3, 4]", "[0, 2, 3, 4]", "[4, 4, 4, 4]", "[2, 0, 1, 1]", "[]", "[-1]", "[1]"],
        );
    }
}

#[test]
fn chunks_of_another_level_within_chunks() {
    agrees(
        "sig main : [int] -> [int]<grid>
         fun main xs = concat 2 (map (fn c => let made = fn c => concat 1 (map (fn x => push <thread> (generate (4 / x) (fn i => i))) c)
               a = force (made c)
           in push <block> (map (fn x => x + length a) c)) (splitUp 2 xs))",
        &["[1, 2, 3, 4]", "[0, 2, 3, 4]", "[]", "[1]"],
    );
    agrees(
        "sig main : [int] -> [int]<grid>
         fun main xs = concat 4 (map (fn b => concat 2 (map (fn c =>
           let made = fn c => concat 1 (map (fn x => push <block> (generate (4 / x) (fn i => i))) c)
               a = force (made c)
           in push <warp> (map (fn x => x + length a) c)) (splitUp 2 b))) (splitUp 4 xs))",
        &["[1, 2, 3, 4]", "[0, 2, 3, 4]", "[1, 1, 1, 1, 0, 1, 1, 1]"],
    );
}
