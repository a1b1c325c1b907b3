//! How a `while` of a kernel is written, and which of its failures is told.

use super::{TARGET, agrees, signature, specialise};
use compiler::lower::fcl as lowering;
use reference::device::print;
use reference::fcl::parse;
use reference::kit::decisions::{Decisions, Policy};
use reference::kit::faults::Planted;

/// The program as the pipeline lowers it, behind `specialise`, and how many decisions were made for it.
fn written(source: &str, limit: Option<u64>) -> (String, u64) {
    let program = specialise(&parse::program(source).expect("it parses")).expect("it ends");
    let mut decisions = Decisions::new(Policy { limit, ..Policy::default() });
    let signature = signature(&program);
    let lowered = lowering::lower(&program, &signature, TARGET, Planted::NONE, &mut decisions);
    (print::program(&lowered.expect("it is lowered")), decisions.made())
}

/// Sums of blocks of this many elements, by halves.
fn halves(size: u32) -> String {
    format!(
        "sig main : [int] -> [int]<grid>
         fun main xs = concat 1 (map (fn c =>
             while (fn s => 1 < length s)
               (fn s => let h = length s / 2
                        in push <block> (generate h (fn i => index s i + index s (h + i))))
               (push <block> c)
             |> push <block>) (splitUp {size} xs))"
    )
}

/// A loop over a known length has no variables, and its arrays are as long as they have to be.
#[test]
fn loops_that_are_written_out() {
    let source = halves(16);
    let (text, made) = written(&source, None);
    assert_eq!(made, 1, "{text}");
    assert_eq!(text.matches("uniform load").count(), 0, "{text}");
    assert_eq!(text.matches("goes").count(), 0, "{text}");
    // Two arrays live at a time.
    assert!(text.contains("array[u32, 24]"), "{text}");
    let (text, made) = written(&source, Some(0));
    assert_eq!(made, 0);
    assert!(text.contains("goes") && text.contains("array[u32, 32]"), "{text}");
    let elements: Vec<String> = (0..50).map(|k| (k * k % 31).to_string()).collect();
    agrees(&source, &[&format!("[{}]", elements.join(", ")), "[7, 8]"]);
}

/// A loop goes round at most so often, those in it included.
#[test]
fn loops_that_go_round_often() {
    let one = |rounds: u32| {
        format!(
            "sig main : [int] -> [int]<block>
             fun main xs =
               while (fn s => 2 < length s)
                 (fn s => push <block> (generate (length s - 1) (fn i => index s (i + 1) + i)))
                 (push <block> (generate {} (fn i => index xs (i % 3))))
               |> push <block>",
            rounds + 2
        )
    };
    let nested = |inner: u32| {
        format!(
            "sig main : [int] -> [int]<block>
             fun main xs =
               while (fn s => 1 < length s)
                 (fn s =>
                   let t = while (fn t => 3 < length t)
                             (fn t => push <block> (generate (length t - 1) (fn i => index t i - index s 0)))
                             (push <block> (generate {} (fn i => index s (i % length s) * i)))
                   in push <block> (generate (length s - 1) (fn i => index s (i + 1) + index t (i % 3))))
                 (push <block> (generate 5 (fn i => index xs (i % 3))))
               |> push <block>",
            inner + 3
        )
    };
    for (source, decisions) in [(one(20), 1), (one(21), 0), (nested(5), 2), (nested(6), 1)] {
        let (text, made) = written(&source, None);
        assert_eq!(made, decisions, "{text}");
        agrees(&source, &["[5, -3, 11]", "[1]"]);
    }
}

/// A loop over a length that only the host knows is steered by that, and what fails in it is told by rounds.
#[test]
fn loops_that_go_by_the_length() {
    let of = |step: &str| {
        format!(
            "sig main : int -> [int] -> [int]<grid>
             fun main n xs = concat 1 (generate (length xs / n) (fn c =>
                 while (fn s => 1 < length s)
                   (fn s => let h = length s / 2 in push <block> ({step}))
                   (push <block> (generate n (fn i => index xs (c * n + i))))
                 |> push <block>))"
        )
    };
    let quotients = of("generate h (fn i => 60 / (index s (2 * i) - index s (2 * i + 1)))");
    let (text, _) = written(&quotients, None);
    assert_eq!(text.matches("uniform load").count(), 0, "{text}");
    assert_eq!(text.matches("atomic").count(), 0, "{text}");
    agrees(
        &quotients,
        &[
            "4, [9, 4, 3, 2]",
            "1, [6, 5]",
            // The second round of the first chunk, the first round of the second one.
            "4, [9, 4, 5, 0, 1, 1, 2, 2]",
            // The last element of the first round, the first one of the second round.
            "8, [9, 4, 5, 0, 1, 3, 2, 2]",
            "8, [9, 4, 5, 0, 1, 3, 2, 6, 9, 4, 5, 0, 1, 3, 2, 2]",
        ],
    );
    // An array that is too long, one of less than none, a length that is none, and no end.
    for step in [
        "generate (h * 3 + 1) (fn i => 60 / index s (i % h))",
        "generate (h - 4) (fn i => 60 / index s i)",
        "generate (12 / (h - 1) % 4) (fn i => 60 / index s 0)",
        "generate (h * 2) (fn i => 60 / index s i)",
    ] {
        let elements = ["1, 2, 3, 4, 5, 6, 7", "1, 2, 3, 0, 5, 6, 7", "1, 2, 0, 70, 3, 4, 5"];
        let inputs: Vec<String> = [2, 3, 4, 5, 7]
            .iter()
            .flat_map(|n| elements.map(|elements| format!("{n}, [{elements}]")))
            .collect();
        let ends: Vec<&str> = inputs.iter().map(String::as_str).collect();
        match step.contains("h * 2") {
            // Behind a failure the loop without end is given up, and the failure told.
            true => agrees(&of(step), &["4, [1, 2, 3, 0]", "4, [0, 2, 3, 4]", "1, [3]"]),
            false => agrees(&of(step), &ends),
        }
    }
}

/// Loops in loops, and a check behind them.
#[test]
fn rounds_in_rounds() {
    let source = "sig main : int -> [int] -> [int]<block>
         fun main n xs =
           let a = while (fn s => 2 < length s)
                     (fn s =>
                       let t = while (fn t => 1 < length t)
                                 (fn t => push <block> (generate (length t - 1) (fn i => index t i + 6 / index t (i + 1))))
                                 (push <block> s)
                       in push <block> (generate (length s - 1) (fn i => 12 / (index s i - index t 0))))
                     (push <block> (generate n (fn i => index xs i)))
           in push <block> (map (fn x => 1 / (x + 1)) a)";
    let inputs =
        ["1, 2, 3, 4", "1, 3, 0, 4", "5, -6, 1, 2", "3, 0, 1, 1", "2, -1, -1, 9", "1, 1, 1, 1"];
    let inputs: Vec<String> = [2, 3, 4]
        .iter()
        .flat_map(|n| inputs.map(|elements| format!("{n}, [{elements}]")))
        .collect();
    agrees(source, &inputs.iter().map(String::as_str).collect::<Vec<_>>());
}

/// The condition names a part of itself; and a length of which the loop has more than elements.
#[test]
fn conditions_with_named_parts() {
    let source = "sig main : int -> [int] -> [int]<grid>
         fun main n xs = concat 1 (generate (length xs / n) (fn c =>
             while (fn s => let m = length s * 2 + c in m * m < 900 && 1 < length s)
               (fn s => push <block> (generate (length s / 2) (fn i => 12 / index s (2 * i))))
               (push <block> (generate n (fn i => index xs (c * n + i))))
             |> push <block>))";
    let (text, _) = written(source, None);
    assert_eq!(text.matches("uniform load").count(), 0, "{text}");
    // One behind the first array, one behind that of each round.
    assert_eq!(text.matches("barrier").count(), 2, "{text}");
    agrees(
        source,
        &["4, [1, 2, 0, 4, 5, 6, 7, 8]", "2, [0, 1, 3, 4]", "8, [9, 4, 5, 0, 1, 3, 0, 2]"],
    );
    // Behind the division nothing shrinks any more.
    let source = "sig main : int -> [int] -> [int]<grid>
         fun main m xs = concat 2 (map (fn c =>
           let r = while (fn a => length a > 0) (fn a => push <block> (map (fn x => 12 / x) a)) (push <block> c)
           in push <block> (generate 2 (fn i => index r i))) (splitUp m xs))";
    agrees(source, &["4, [1, 2, 0, 4, 5, 6, 7, 8]"]);
}

/// An array that a branch gives has a length that the branch gives, by which the next loop goes.
#[test]
fn lengths_that_branches_give() {
    let of = |other: &str, next: &str| {
        format!(
            "sig main : int -> [int] -> [int]<grid>
             fun main k xs = concat 1 (generate 1 (fn c =>
               let a = if 1 > k
                       then while (fn s => length s > 1)
                              (fn s => push <block> (generate (length s - 1) (fn i => index s i + 1)))
                              (push <block> xs)
                       else {other}
                   b = {next}
               in push <block> [index b 0, length b]))"
        )
    };
    let shrinks = "while (fn s => length s > 2)
                     (fn s => push <block> (generate (length s - 1) (fn i => 12 / index s i)))
                     (push <block> a)";
    let counts = "while (fn s => length s > 2 && index s 0 < 9)
                    (fn s => push <block> (generate (length s - 1) (fn i => 3 * index s i)))
                    (push <block> a)";
    for other in ["xs", "force (push <block> xs)"] {
        for next in ["scan <block> addi a", shrinks, counts] {
            let inputs = ["0, [1, 2, 3]", "1, [1, 2, 3]", "2, [4, 0, 1, 5, 2]", "0, [0]"];
            agrees(&of(other, next), &inputs);
        }
    }
}
