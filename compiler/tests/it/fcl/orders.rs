//! `interleave` below the grid, and of chunks that are made of chunks.

use super::{
    Budget, Order, Recorder, TARGET, agrees, device, lowered_for, parse, parse_values, signature,
};

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

/// How many kernels a program is compiled to, and how many of their statements are atomic operations.
fn launches(source: &str) -> [usize; 2] {
    let program = parse::program(source).unwrap_or_else(|no| panic!("{source}\n{no:?}"));
    let lowered = lowered_for(TARGET, &program, &signature(&program));
    let lowered = lowered.unwrap_or_else(|no| panic!("{source}\n{no:?}"));
    let text = reference::device::print::program(&lowered);
    [lowered.kernels.len(), text.matches("atomic max(owners").count()]
}

/// Of sizes that are known an order through tiles is seen when the program is compiled.
#[test]
fn orders_through_tiles_of_known_sizes() {
    let source = |level: &str, order: &str| {
        let below = if level == "grid" { "block" } else { "warp" };
        format!(
            "sig main : int -> [int]<{level}>
             fun main k = generate 6 (fn i => push <{below}> (generate 4 (fn j => 60 / (k + i * 4 + j))))
               |> interleave 4 (fn (i, j) => {order})"
        )
    };
    let through = [
        "i * 4 + j",
        "j * 6 + i",
        "(5 - i) * 4 + j",
        "23 - (j * 6 + i)",
        "(i / 2 * 4 + j) * 2 + i % 2",
        "(i / 3 * 2 + j / 2) * 6 + i % 3 * 2 + j % 2",
        "let p = i * 4 + j in p % 8 * 3 + p / 8",
        "let p = i * 4 + j in p / 4 % 3 * 8 + p % 4 * 2 + p / 12",
        "let p = i * 4 + j in p % 12 * 2 + p / 12 + p % 4 * 0",
        "j + (i - i / 2 * 2) * 4 + 8 * (i / 2)",
    ];
    let not = [
        "i * 4 + j + 1 - 1 / (j + 1)",
        "i * 5 + j",
        "j * 6 + i / 2",
        "(i / 4 * 4 + j) * 4 + i % 4",
        "(i * 4 + j) % 23",
        "i * 4 + 4 - j",
    ];
    for level in ["grid", "block"] {
        for order in through {
            agrees(&source(level, order), &["1", "-9", "-24"]);
            assert_eq!(launches(&source(level, order)), [1, 0], "{order}");
        }
        for order in not {
            agrees(&source(level, order), &["1", "-9"]);
            assert_eq!(launches(&source(level, order))[1], 1, "{order}");
        }
    }
}

/// The host asks of others whether sizes are multiples, and factors what they have to be.
#[test]
fn orders_through_tiles_of_sizes_that_the_host_knows() {
    let orders = [
        "j * a + i",
        "i * b + j",
        "(i / a * 3 + j) * a + i % a",
        "(i / a * b + j / b) * a + i % a",
        "(j / b * a + i) * b + j % b",
        "let p = i * 3 + j in p % a * b + p / a",
        "a - 1 - i + b * j",
        "a * i + b * j",
        "let p = i * 3 + j in p % b * a + p / b % a + p / (b * a) * b * a",
        "let p = i * 3 + j in p % (a * b) / b + p % (a * b) % b * a + p / (a * b) * (a * b)",
    ];
    let inputs = [
        "2, 3, [1, 2, 3, 4, 5, 6]",
        "3, 2, [1, 2, 3, 4, 5, 6]",
        "1, 3, [1, 2, 3, 4, 5, 6, 7, 8, 9]",
        "2, 1, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]",
        "4, 3, [1, 2, 3, 4, 5, 6, 7, 8, 0, 10, 11, 12]",
        "0, 0, [1, 2, 3]",
        "1, 0, [1, 2, 3, 4, 5, 6]",
        "-2, 3, [1, 2, 3, 4, 5, 6]",
        "65536, 65536, [1, 2, 3, 4, 5, 6]",
        "3, -1, []",
    ];
    for order in orders {
        let source = format!(
            "sig main : int -> int -> [int] -> [int]<grid>
             fun main a b xs = splitUp 3 xs |> map (fn c => push <block> (map (fn x => 60 / x) c))
               |> interleave 3 (fn (i, j) => {order})"
        );
        agrees(&source, &inputs);
        // One for each way, and one in which elements go to the targets that they own.
        assert_eq!(launches(&source), [2, 1], "{order}");
    }
}

/// Where sizes are multiples, one launch writes all elements. Else another one moves them.
#[test]
fn one_launch_of_tiles() {
    let tiles = "fun main t w xs = splitUp (t * t) xs |> map (push <block>) |> concat2DGrid t w w";
    let columns = "fun main t w xs = splitUp t xs |> map (push <block>) |> interleave t (fn (i, j) => j * w + i)";
    let backwards = "fun main t w xs = splitUp t xs |> map (push <block>) |> interleave t (fn (i, j) => w - 1 - i * t - j)";
    let parts = "fun main t w xs = splitUp t xs |> map (push <block>) |> interleave t (fn (i, j) =>
        let p = i * t + j in p % w + p / w % t * w + p / (w * t) * (w * t))";
    for (source, input, launches) in [
        (tiles, "2, 4", 1),
        (tiles, "2, 8", 1),
        (tiles, "4, 4", 1),
        (tiles, "1, 3", 1),
        (tiles, "3, 3", 1),
        (columns, "4, 12", 1),
        (columns, "16, 3", 1),
        (columns, "1, 48", 1),
        (columns, "48, 1", 1),
        (columns, "2, 12", 2),
        (backwards, "6, 48", 1),
        (backwards, "1, 48", 1),
        (parts, "2, 2", 1),
        (parts, "4, 6", 1),
        (parts, "3, 4", 1),
    ] {
        let program =
            parse::program(&format!("sig main : int -> int -> [int] -> [int]<grid>\n{source}"));
        let program = program.expect("it parses");
        let lowered = lowered_for(TARGET, &program, &signature(&program)).expect("it is lowered");
        let elements: Vec<String> = (0..48).map(|k| k.to_string()).collect();
        let values = parse_values(&format!("{input}, [{}]", elements.join(", ")));
        let values = values.expect("the test's input parses");
        let (order, budget) = (Order::Shuffled(3), Budget::default());
        let ran = device::run(&lowered, &values, order, &budget, &mut Recorder::counting());
        assert_eq!(ran.stats.launches, launches, "{source}\nwith {input}: {:?}", ran.ending);
    }
}

/// Chunks of chunks are in memory first.
#[test]
fn orders_through_tiles_of_chunks_of_chunks() {
    for order in ["j * 2 + i", "(j / 2 * 2 + i) * 2 + j % 2", "(1 - i) * n + j"] {
        let source = format!(
            "sig main : int -> [int] -> [int]<grid>
             fun main k xs = let n = length xs in
               generate 2 (fn i => if k < i then push <block> (map (fn x => 12 / x) xs)
                 else concat 2 (map (fn c => push <warp> (map (fn x => 24 / x) c)) (splitUp 2 xs)))
               |> interleave n (fn (i, j) => {order})"
        );
        agrees(
            &source,
            &["0, [1, 2, 3, 4]", "5, [1, 2, 3, 0]", "-3, [1, 2, 0, 0]", "0, [1, 2, 3]", "0, []"],
        );
    }
    // Above the grid, in a warp, and in a block.
    for (level, below) in [("1 + grid", "grid"), ("block", "warp"), ("warp", "thread")] {
        for order in ["j * 3 + i", "(2 - i) * 4 + j"] {
            let source = format!(
                "sig main : [int] -> [int]<{level}>
                 fun main xs = generate 3 (fn i => push <{below}> (generate 4 (fn j => 60 / index xs (i + j))))
                   |> interleave 4 (fn (i, j) => {order})"
            );
            agrees(&source, &["[1, 2, 3, 4, 5, 6]", "[1, 2, 3, 4, 5]", "[1, 2, 0, 4, 5, 6]"]);
            assert_eq!(launches(&source)[1], 0, "{source}");
        }
    }
    let nested = "sig main : [int] -> [int]<block>
        fun main xs = generate 2 (fn i => generate 2 (fn j => push <thread> (map (fn x => 60 / (x + i)) xs |> take 2))
            |> interleave 2 (fn (k, l) => l * 2 + k))
          |> interleave 4 (fn (i, j) => j / 2 * 4 + i * 2 + j % 2)";
    agrees(nested, &["[1, 2, 3]", "[4, -1]", "[1]"]);
    assert_eq!(launches(nested), [1, 0]);
}
