//! What is said of programs of FCL: places in the prelude beside those of the program, refusals, types.

use super::messages::{holds, said};

/// It takes more than there is.
const TAKE: &str = "-- input: [1, 2, 3]\nfun main xs = push <block> (take 9 xs)\n";

#[test]
fn a_place_in_the_prelude_is_shown_beside_the_use() {
    for (text, used, place, thread) in [
        (TAKE, ":2:29]", "[prelude:32:18]", "here in thread 4"),
        (
            "-- input: [1, 2], [1, 0]\nfun main xs ys = push <block> (zipWith divi xs ys)\n",
            ":2:32]",
            "[prelude:58:52]",
            "here in thread 2",
        ),
        (
            "-- input: [1, 2, 3]\nfun main xs =\n  splitUp 0 xs |> map (push <block>) |> concat 3\n",
            ":3:3]",
            "[prelude:67:13]",
            "here",
        ),
    ] {
        for command in ["run", "check", "explain"] {
            let told = said("p.fcl", text, &[command]);
            holds(&told, &["used here", used, "in the prelude", place, thread]);
        }
        let told = said("p.fcl", text, &["run", "--engine", "device"]);
        holds(&told, &["used here", used, place, thread]);
    }
    let json = said("p.fcl", TAKE, &["run", "--json"]);
    holds(&json, &[r#""place":"32:18 of the prelude","uses":["2:29"]"#]);
    // By another definition of the prelude, and in two places, one of them not of `main`.
    let text = "-- input: [1, 2]
fun other xs = take 3 xs
fun main xs = push <block> [index (fst (splitAt 2 xs)) 0 + index (take 3 xs) 2]
";
    let json = said("p.fcl", text, &["run", "--json"]);
    holds(&json, &[r#""uses":["3:41","3:67"]"#]);
    holds(&said("p.fcl", text, &["run"]), &["may be used here"]);
}

#[test]
fn a_run_without_an_answer_says_where_it_stopped() {
    let endless = "-- input: [1]
fun main xs = while (fn ys => true) (fn ys => push <block> ys) (push <block> xs) |> push <block>
";
    holds(&said("p.fcl", endless, &["run", "--fuel", "1000"]), &["out of fuel", ":2:15]"]);
    let inner = "-- input: [1]
fun main xs = push <block> [red <thread> addi xs |> force |> last]
";
    let told = said("p.fcl", inner, &["run", "--fuel", "1000"]);
    holds(&told, &["out of fuel", ":2:29]", "in the prelude"]);
    let open = "-- input: [1.0f64]\nfun main xs = push <block> (map (fn x => divd x 0.0) xs)\n";
    holds(&said("p.fcl", open, &["run"]), &["open float", ":2:42]"]);
}

#[test]
fn a_refusal_of_the_compiler_has_a_place() {
    let mut text = "-- input: [1]\nfun f0 x = x + 1\n".to_owned();
    for k in 1..20 {
        text.push_str(&format!("fun f{k} x = f{} (f{} x)\n", k - 1, k - 1));
    }
    text.push_str("fun main xs = push <block> (map f19 xs)\n");
    let told = said("p.fcl", &text, &["compile"]);
    holds(&told, &["specialise refuses", "more than 400 steps", ":2:12]"]);
    let told = said("p.fcl", &text, &["compile", "--json"]);
    holds(&told, &[r#""place":"2:12""#]);
    // Of many lines the first is marked.
    let lets: String = (1..2000).map(|k| format!("      x{k} = x{} + 1\n", k - 1)).collect();
    let text = format!("fun main x0 =\n  let x = 1\n{lets}  in push <block> [x1999]\n");
    let told = said("p.fcl", &text, &["check"]);
    assert!(told.lines().count() < 30, "{told}");
}

#[test]
fn types_are_printed_alone() {
    let told = said("p.fcl", TAKE, &["check", "--types"]);
    assert_eq!(told, "main : forall ('a : BT). ['a] -> ['a]<block>\n");
    let axes = "(results (out (build grid i 2 {i}) i))\n";
    let told = said("p.axes", axes, &["check", "--types"]);
    holds(&told, &["has no types to print"]);
}

#[test]
fn components_of_pairs_are_named_apart() {
    let text = "sig main : (int, int) -> [int]<thread>\nfun main p = push <thread> [fst p]\n";
    let told = said("p.fcl", text, &["run", "--input", "1"]);
    holds(&told, &["the parameters: p.fst, p.snd", "a value for each component"]);
    holds(&said("p.fcl", "fun main é = 1\n", &["check"]), &["`_`, `#` and `'`"]);
}
