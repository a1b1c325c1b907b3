//! What the functions of the prelude come to.

use crate::fcl::{Fcl, parse};
use crate::kit::derivation::Recorder;
use crate::kit::faults::Planted;
use crate::kit::language::{How, Language, Settings};
use crate::kit::memory::Memory;
use crate::kit::outcome::{Budget, Ending};

/// What a program without parameters comes to.
fn comes_to(main: &str) -> String {
    let program = parse::program(&format!("val main = {main}")).expect("it is FCL");
    Fcl::check(&program, &mut Recorder::counting()).unwrap_or_else(|no| panic!("{main}: {no:?}"));
    let how = How {
        variant: "",
        schedule: 0,
        budget: &Budget::default(),
        settings: &Settings::default(),
        planted: Planted::default(),
        memory: &mut Memory::default(),
    };
    match Fcl::run(&program, &[], how, &mut Recorder::counting()).ending {
        Ending::Value(values) => {
            values.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn each_definition_has_a_signature() {
    let lines: Vec<&str> = parse::prelude::TEXT.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let Some(rest) = line.strip_prefix("fun ") else { continue };
        let name = rest.split(' ').next().unwrap_or_default();
        assert!(lines[at - 1].starts_with(&format!("sig {name} : ")), "{name}");
    }
}

#[test]
fn pull_arrays() {
    for (exp, expected) in [
        ("map (const 7) (iota 3)", "[7, 7, 7]"),
        ("range 3 6", "[3, 4, 5, 6]"),
        ("reverse (iota 4)", "[3, 2, 1, 0]"),
        ("backpermute 3 (fn i => 2 * i) (iota 6)", "[0, 2, 4]"),
        ("take 2 (iota 5)", "[0, 1]"),
        ("drop 2 (iota 5)", "[2, 3, 4]"),
        ("snd (splitAt 2 (iota 5))", "[2, 3, 4]"),
        ("[last (iota 5)]", "[4]"),
        ("fst (halve (iota 5))", "[0, 1]"),
        ("snd (halve (iota 5))", "[2, 3, 4]"),
        ("fst (evenOdds (iota 5))", "[0, 2, 4]"),
        ("snd (evenOdds (iota 5))", "[1, 3]"),
        ("zipWith subi (iota 3) [5, 5]", "[-5, -4]"),
        ("pad 4 9 [1, 2]", "[1, 2, 9, 9]"),
        ("map last (splitUp 2 (iota 5))", "[1, 3]"),
        ("index (coalesce 2 (iota 6)) 1", "[1, 4]"),
        ("transpose 2 2 [1, 2, 3, 4]", "[1, 3, 2, 4]"),
        ("index (split2DGrid 2 4 2 2 (iota 16)) 3", "[10, 11, 14, 15]"),
        ("map bit (iota 4)", "[1, 2, 4, 8]"),
        ("map (testBit 5) (iota 3)", "[true, false, true]"),
    ] {
        assert_eq!(comes_to(&format!("push <grid> ({exp})")), expected, "{exp}");
    }
}

#[test]
fn push_arrays() {
    for (exp, expected) in [
        ("revBlock (iota 3)", "[2, 1, 0]"),
        ("revDistribute 2 (iota 4)", "[3, 2, 1, 0]"),
        ("concatMap 2 (fn i => push <block> [i, i]) (iota 2)", "[0, 0, 1, 1]"),
        (
            "split2DGrid 2 4 2 1 (iota 8) |> map (push <block>) |> concat2DGrid 2 2 4",
            "[0, 1, 2, 3, 4, 5, 6, 7]",
        ),
        ("transposeTiled 2 4 4 (iota 16) |> force |> take 5 |> push <grid>", "[0, 4, 8, 12, 1]"),
        ("concatSeq <block> 2 (map (push <block>) (splitUp 2 (iota 6)))", "[0, 1, 2, 3, 4, 5]"),
        ("concatSeq <block> 2 []", "[]"),
        (
            "interleaveSeq <block> 2 (fn (i, j) => j * 3 + i) (map (push <block>) (splitUp 2 (iota 6)))",
            "[0, 2, 4, 1, 3, 5]",
        ),
        ("interleaveSeq <warp> 2 (fn (i, j) => i) []", "[]"),
        ("reverseBlock (iota 2)", "[1, 0]"),
        ("push <warp> [id 3]", "[3]"),
        ("step <warp> addi (iota 4)", "[2, 4]"),
        ("red <block> addi (iota 8)", "[28]"),
        ("reduceGrid addi (iota 256)", "[8128, 24512]"),
    ] {
        assert_eq!(comes_to(exp), expected, "{exp}");
    }
}

#[test]
fn reductions_and_scans_take_any_length() {
    let numbers = |n: i32| -> (String, i32, String) {
        let sums: Vec<i32> = (1..=n).map(|k| k * (k + 1) / 2).collect();
        let all = format!("map (addi 1) (iota {n})");
        (all, n * (n + 1) / 2, format!("{sums:?}"))
    };
    for n in [0, 1, 2, 3, 5, 8, 13, 127, 128, 129, 300] {
        let (all, sum, sums) = numbers(n);
        let reduced =
            comes_to(&format!("let x = reduce <block> addi 0 ({all}) in push <block> [x]"));
        assert_eq!(reduced, format!("[{sum}]"), "reduce of {n}");
        assert_eq!(comes_to(&format!("reduceAll addi 0 ({all})")), format!("[{sum}]"), "of {n}");
        let scanned = comes_to(&format!("push <block> (scan <block> addi ({all}))"));
        assert_eq!(scanned, sums, "scan of {n}");
        let scanned = comes_to(&format!("scanAll addi ({all})"));
        assert_eq!(scanned, sums, "scan of {n}");
    }
    // The order of operands is kept.
    let digits = "fn a b => a * 10 + b";
    let folded = comes_to(&format!("push <thread> [foldl ({digits}) 0 (range 1 5)]"));
    assert_eq!(folded, "[12345]");
    let last = comes_to("let x = reduce <warp> (fn a b => b) 0 (range 1 5) in push <warp> [x]");
    assert_eq!(last, "[5]");
}

#[test]
fn a_loop_of_one_thread_writes_where_it_is_told() {
    let sums = "seqfor [1, 2, 3, 4] 3 (fn read i => (i + 1, read i + read (i + 1)))";
    assert_eq!(comes_to(sums), "[1, 3, 6, 10]");
}
