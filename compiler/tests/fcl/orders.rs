//! `interleave` below the grid, and of chunks that are made of chunks.

use super::agrees;

#[test]
fn threads_of_a_warp_and_of_a_block() {
    for level in ["warp", "block"] {
        let below = if level == "warp" { "thread" } else { "warp" };
        agrees(
            &format!(
                "sig main : int -> [int] -> [int]<{level}>
                 fun main m xs = splitUp m xs |> map (fn c => push <{below}> (map (fn x => 60 / x) c))
                   |> interleave m (fn (i, j) => j * (length xs / m) + i)"
            ),
            &[
                "2, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]",
                "3, [1, 2, 3, 4, 5, 6]",
                "2, [1, 2, 3, 0, 0, 1]",
                "-1, [1]",
                "2, []",
            ],
        );
    }
}

#[test]
fn targets_that_are_outside_or_taken() {
    // The last row is taken, outside, and computed with a quotient that there is not.
    for order in ["i * 2 + j * i", "i * 2 + j - i / 2", "i * 2 + j * index xs i", "4 / i + j"] {
        for level in ["warp", "block"] {
            let below = if level == "warp" { "thread" } else { "warp" };
            agrees(
                &format!(
                    "sig main : [int] -> [int]<{level}>
                     fun main xs = splitUp 2 xs |> map (push <{below}>) |> interleave 2 (fn (i, j) => {order})"
                ),
                &["[1, 1, 1, 1]", "[1, 1, 1, 1, 1, 1]", "[1, 2, -4, 3, 1, 1, 7, 8]", "[1, 1]"],
            );
        }
    }
}

#[test]
fn orders_in_chunks_of_a_grid() {
    for (order, inner) in [
        ("j * 2 + i", "concat 4"),
        ("j * 2 + i", "interleave 4 (fn (i, j) => j + 4 * (1 - i))"),
        ("i * 2", "concat 4"),
    ] {
        agrees(
            &format!(
                "sig main : [int] -> [int]<grid>
                 fun main xs = splitUp 8 xs |> map (fn c => splitUp 4 c
                   |> map (fn w => splitUp 2 w |> map (fn t => push <thread> (map (fn x => 60 / x) t))
                        |> interleave 2 (fn (i, j) => {order}))
                   |> {inner}) |> interleave 8 (fn (i, j) => j * (length xs / 8) + i)"
            ),
            &[
                "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]",
                "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0, 15, 16]",
                "[]",
            ],
        );
    }
}

/// The value of a later element is told before the target of an earlier one, if the chunk is forced first.
#[test]
fn chunks_that_are_forced_before_their_targets() {
    for order in ["10 / (j - 1)", "j + i * 4", "j + 3", "(j + 2 * i) % 8"] {
        agrees(
            &format!(
                "sig main : int -> [int] -> [int]<grid>
                 fun main k xs = generate 2 (fn i => if k < i then push <block> (map (fn x => 12 / x) xs)
                   else concat 2 (map (fn c => push <warp> (map (fn x => 24 / x) c)) (splitUp 2 xs)))
                   |> interleave 4 (fn (i, j) => {order})"
            ),
            &["0, [1, 2, 3, 4]", "5, [1, 2, 3, 0]", "-3, [1, 2, 0, 0]", "0, [1, 2, 3]"],
        );
    }
}

/// What is remembered of targets is forgotten when the array is made once more.
#[test]
fn orders_in_loops() {
    for (level, below) in [("warp", "thread"), ("block", "warp")] {
        agrees(
            &format!(
                "sig main : int -> [int] -> [int]<{level}>
                 fun main n xs = push <{level}> (while (fn a => index a 0 < n)
                   (fn a => splitUp 2 a |> map (fn c => push <{below}> (map (addi 1) c))
                     |> interleave 2 (fn (i, j) => if 4 < index a 0 then i else j * (length xs / 2) + i))
                   (push <{level}> xs))"
            ),
            &["3, [0, 1, 2, 3]", "4, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]", "9, [0, 1, 2, 3]"],
        );
    }
}

#[test]
fn pairs_and_mapped_orders() {
    agrees(
        "sig main : [int] -> [int]<block>
         fun main xs = splitUp 3 xs |> map (fn c => push <warp> (map (fn x => (x, x < 4)) c))
           |> interleave 3 (fn (i, j) => (length xs / 3 - 1 - i) * 3 + j)
           |> mapPush (fn (a, b) => if b then a else 100 / (a - 9))",
        &["[1, 2, 3, 4, 5, 6]", "[1, 2, 3, 4, 9, 6]", "[1, 2, 3]"],
    );
}
