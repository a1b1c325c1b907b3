//! What programs of FUN do. Every rule of the roll fires here and every premise fails.

use super::rules::Rule;
use super::{eval, parse, types};
use crate::kit::coverage::Coverage;
use crate::kit::derivation::Recorder;
use crate::kit::outcome::{Budget, Ending, Outcome};
use crate::kit::value::parse_values;

/// Parses, types and runs.
fn outcome(source: &str, input: &str, budget: &Budget, coverage: &mut Coverage) -> Outcome {
    let program = parse::program(source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let mut recorder = Recorder::counting();
    types::check(&program, &mut recorder).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let input = eval::fit(&program, parse_values(input).expect("values")).expect("the input fits");
    let outcome = eval::run(&program, &input, budget, &mut recorder);
    coverage.add(recorder.coverage());
    outcome
}

fn text(source: &str, input: &str, coverage: &mut Coverage) -> String {
    match outcome(source, input, &Budget::default(), coverage).ending {
        Ending::Value(results) => {
            results.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        }
        Ending::Stuck(stuck) => format!(
            "{} {} `{}` {:?} {:?}",
            stuck.rule,
            stuck.site.cause.name(),
            &source[stuck.site.span.start as usize..stuck.site.span.end as usize],
            stuck.thread,
            stuck.operands
        ),
        other => format!("{other:?}"),
    }
}

/// The rule and premise that reject a program.
fn rejected(source: &str, coverage: &mut Coverage) -> String {
    let program = match parse::program(source) {
        Ok(program) => program,
        Err(error) => {
            coverage.rejected(&error);
            return error.rule.map_or(error.message, |(rule, premise)| format!("{rule} {premise}"));
        }
    };
    let mut recorder = Recorder::counting();
    let error = types::check(&program, &mut recorder).expect_err(source);
    coverage.add(recorder.coverage());
    error.rule.map_or(error.message, |(rule, premise)| format!("{rule} {premise}"))
}

/// Source, input, what it does.
const RUNS: &[(&str, &str, &str)] = &[
    ("in (1, -2)", "", "1, -2"),
    ("param (n : int) in (n / 2, n % 2, n * n)", "-7", "-3, -1, 49"),
    (
        "param (n : int) let (a : int) = n / (n - n) in a",
        "7",
        "E-SCALAR division `let (a : int) = n / (n - n)` [] [7, 0]",
    ),
    ("param (n : int) (xs : [n]) in (xs[n], xs[1])", "3, [4, 5, 6]", "6, 4"),
    (
        "param (n : int) (m : int) (xs : [n][m])
      let (a : [m][n]) = kernel j <= m do let (r : [n]) = kernel i <= n do in (xs[i, j]) in (r)
      in (a, transpose xs)",
        "2, 3, [[1, 2, 3], [4, 5, 6]]",
        "[[1, 4], [2, 5], [3, 6]], [[1, 4], [2, 5], [3, 6]]",
    ),
    (
        "param (n : int) (xs : [n])
      let (ys : [n]) = kernel i <= n do let (a : int) = xs[i * 2] in (a) in ys",
        "3, [1, 2, 3]",
        "E-INDEX index `let (a : int) = xs[i * 2]` [2] [4, 3]",
    ),
    (
        "param (n : int) let (ys : [n]) = kernel i <= n do in (i) in ys",
        "-1",
        "E-KERNEL size `let (ys : [n]) = kernel i <= n` [] [-1]",
    ),
    (
        "param (n : int) (m : int)
      let (ys : [n][m]) = kernel i <= n do let (r : [m]) = kernel j <= m do in (j) in (r) in ys",
        "0, -2",
        "E-KERNEL size `let (ys : [n][m]) = kernel i <= n` [] [-2]",
    ),
    (
        "param (n : int) (m : int)
      let (ys : [n][m]) = kernel i <= n do let (r : [m]) = kernel j <= m do in (j) in (r)
      in (ys, transpose ys)",
        "0, 2",
        "empty[0][2], empty[2][0]",
    ),
    (
        "param (n : int) (xs : [n]) in (xs[2 : 2], xs[n : n : -1], xs[2 : 3 : 0], xs[0 : 0])",
        "4, [1, 2, 3, 4]",
        "[2, 3], [4, 3, 2, 1], [2, 2, 2], []",
    ),
    (
        "param (n : int) (xs : [n]) let (y : [2]) = xs[4 : 2] in y",
        "4, [1, 2, 3, 4]",
        "E-SLICE slice `let (y : [2]) = xs[4 : 2]` [] [4, 2, 1, 4]",
    ),
    (
        "param (n : int) (xs : [n]) let (y : [n]) = xs[2 : n : 1000000000] in y",
        "4, [1, 2, 3, 4]",
        "E-SLICE slice `let (y : [n]) = xs[2 : n : 1000000000]` [] [2, 4, 1000000000, 4]",
    ),
    (
        "param (c : int) (x : int) (y : int)
      let (n : int) (a : [n]) = if c then let (u : [x]) = iota x in (x, u)
                                     else let (v : [y]) = iota y in (y, v)
      in (n, a)",
        "0, 1, 2",
        "2, [1, 2]",
    ),
    (
        "let (z : [3]) = if 1 then let (n : int) = 3 let (u : [n]) = iota n in u
                          else in ([7, 8, 9]) in z",
        "",
        "[1, 2, 3]",
    ),
    // A swap: all carried values are assigned at once.
    (
        "param (n : int) let (a : int) (b : int) = loop (x : int = 1) (y : int = 2) for i <= n do
        in (y, x) in (a, b)",
        "3",
        "2, 1",
    ),
    // A loop may grow an array.
    (
        "param (n : int) (xs : [n])
      let (k : int) (ys : [k]) = loop (m : int = n) (y : [m] = xs) for i <= 2 do
        let (z : [m + m]) = concat y y in (m + m, z)
      in ys",
        "1, [7]",
        "[7, 7, 7, 7]",
    ),
    (
        "param (n : int) let (a : int) = loop (x : int = 1) for i <= n do in (x + i) in a",
        "-4",
        "E-LOOP count `let (a : int) = loop (x : int = 1) for i <= n` [] [-4]",
    ),
    // Prefix sums in place.
    (
        "param (n : int) let (a : [n]) = iota n
      let (b : [n]) = loop (x : [n] = a) for i <= n - 1 do
        let (y : [n]) = x with [i + 1 : 1] = x[i] + x[i + 1] in (y)
      in b",
        "5",
        "[1, 3, 6, 10, 15]",
    ),
    (
        "let (a : [4]) = iota 4 let (b : [4]) = a with [3 : 2 : -2] = [8, 9] in b",
        "",
        "[9, 2, 8, 4]",
    ),
    (
        "let (a : [2]) = iota 2 let (b : [2]) = a with [2 : 2] = 0 in b",
        "",
        "E-UPDATE slice `let (b : [2]) = a with [2 : 2] = 0` [] [2, 2, 1, 2]",
    ),
    // Arrays that are shared keep their elements.
    (
        "let (b : [2]) (c : [2]) = loop (x : [2] = iota 2) (y : [2] = [0, 0]) for i <= 2 do
        let (z : [2]) = copy x
        let (w : [2]) = x with [i : 1] = 9
        in (w, z)
      in (b, c)",
        "",
        "[9, 9], [9, 2]",
    ),
    // Several results.
    (
        "param (n : int)
      let (a : [n]) (b : [n][2]) = kernel i <= n do let (p : [2]) = [i, i * i] in (-i, p)
      in (a, b)",
        "2",
        "[-1, -2], [[1, 1], [2, 4]]",
    ),
    // The lowest thread is reported, with its path.
    (
        "let (a : [3][3]) = kernel i <= 3 do
        let (r : [3]) = kernel j <= 3 do let (q : int) = 6 / (5 - i * j) in (q / (4 - i * j))
        in (r)
      in a",
        "",
        "E-SCALAR division `q / (4 - i * j)` [2, 2] [6, 0]",
    ),
];

/// Source, the rule and the premise that fail.
const REJECTIONS: &[(&str, &str)] = &[
    ("in x", "T-VAR scope"),
    ("param (xs : [2]) let (a : int) = xs + 1 in a", "T-VAR type"),
    ("let (a : [2]) = 3 in a", "T-SCALAR pattern"),
    ("let (a : int) (b : int) = 3 in a", "T-SCALAR pattern"),
    ("param (n : int) let (a : int) = n[1] in a", "T-INDEX type"),
    ("param (xs : [2]) let (a : int) = xs[1, 1] in a", "T-INDEX rank"),
    ("param (xs : [2]) let (a : [1]) = xs[1] in a", "T-INDEX pattern"),
    ("let (a : [2]) = iota 2 let (b : [2]) = a with [1 : 1] = 3 let (c : int) = a[1] in c",
        "T-INDEX consumed"),
    ("param (xs : [2]) let (a : int) = if xs then in 1 else in 2 in a", "T-IF type"),
    ("let (a : [2]) = iota 2 let (b : [2]) = a with [1 : 1] = 3 in a", "T-PROG consumed"),
    ("let (a : [2][2]) = replicate 2 (iota 2) let (b : [2][2]) = a with [1 : 1, 1 : 1] = 3
      let (c : [2][2]) = transpose a in c", "T-TRANSPOSE consumed"),
    ("param (xs : [2]) let (c : [2][2]) = transpose xs in c", "T-TRANSPOSE rank"),
    ("param (xs : [2][3]) let (c : int) = transpose xs in c", "T-TRANSPOSE pattern"),
    ("param (xs : [2][3]) let (c : [2][3]) = transpose xs in c", "T-TRANSPOSE size"),
    ("let (a : [2]) = iota 2 let (b : [2]) = a with [1 : 1] = 3 let (c : [1]) = a[1 : 1] in c",
        "T-SLICE consumed"),
    ("param (n : int) let (a : [1]) = n[1 : 1] in a", "T-SLICE type"),
    ("param (xs : [2]) let (c : [1]) = xs[1 : 1, 1 : 1] in c", "T-SLICE rank"),
    ("param (xs : [2]) let (c : int) = xs[1 : 1] in c", "T-SLICE pattern"),
    ("param (xs : [2]) let (c : [2]) = xs[1 : 1] in c", "T-SLICE size"),
    ("param (xs : [2]) let (c : [2]) = kernel i <= xs do in i in c", "T-KERNEL type"),
    ("let (c : int) = kernel i <= 2 do in i in c", "T-KERNEL pattern"),
    ("let (c : [3]) = kernel i <= 2 do in i in c", "T-KERNEL size"),
    ("param (xs : [2]) let (c : int) = loop (x : int = 1) for i <= xs do in i in c",
        "T-LOOP type"),
    ("let (c : [2]) = loop (x : int = 1) for i <= 2 do in i in c", "T-LOOP pattern"),
    ("let (c : [3]) = loop (x : [2] = iota 2) for i <= 2 do in x in c", "T-LOOP size"),
    ("let (a : [2]) = iota 2 let (b : [2]) = a with [1 : 1] = 3 let (c : [2]) = a with [1 : 1] = 3
      in c", "T-UPDATE consumed"),
    ("param (n : int) let (a : [1]) = n with [1 : 1] = 1 in a", "T-UPDATE type"),
    ("let (a : [2]) = iota 2 let (b : [2]) = a with [1 : 1, 1 : 1] = 3 in b", "T-UPDATE rank"),
    ("let (a : [2]) = iota 2 let (b : int) = a with [1 : 1] = 3 in b", "T-UPDATE pattern"),
    ("let (a : [2]) = iota 2 let (b : [2]) = a with [1 : 1] = [3, 4] in b", "T-UPDATE size"),
    ("param (a : [2]) let (b : [2]) = a with [1 : 1] = 3 in b", "T-UPDATE consumable"),
    // A view of a parameter, what an `if` may make of one, and what was made outside.
    ("param (a : [2]) let (v : [1]) = a[1 : 1] let (b : [1]) = v with [1 : 1] = 3 in b",
        "T-UPDATE consumable"),
    ("param (c : int) (a : [2]) let (v : [2]) = if c then in a else in (iota 2)
      let (b : [2]) = v with [1 : 1] = 3 in b", "T-UPDATE consumable"),
    ("let (a : [2]) = iota 2 let (r : [2][2]) = kernel i <= 2 do
        let (b : [2]) = a with [1 : 1] = i in (b) in r", "T-UPDATE consumable"),
    ("let (a : [2]) = iota 2 let (r : [2]) = loop (x : [2] = a) for i <= 2 do
        let (b : [2]) = a with [1 : 1] = i in (b) in r", "T-UPDATE consumable"),
    // What was consumed in one branch is gone after the `if`; in the other branch it is there.
    ("param (c : int) let (a : [2]) = iota 2
      let (b : [2]) = if c then let (u : [2]) = a with [1 : 1] = 3 in u
                           else let (v : [2]) = a with [2 : 1] = 3 in v
      in (b, a)", "T-PROG consumed"),
    // An alias of what was consumed.
    ("param (c : int) let (a : [2]) = iota 2 let (b : [2]) = iota 2
      let (x : [2]) = if c then in a else in b
      let (y : [2]) = b with [1 : 1] = 3 in x", "T-PROG consumed"),
    ("let (a : [2]) = iota 2
      let (r : [2]) = loop (x : [2] = a) for i <= 2 do let (b : [2]) = x with [1 : 1] = i in (x)
      in r", "T-RESULT consumed"),
    ("let (c : int) = if 1 then in (1, 2) else in 3 in c", "T-RESULT arity"),
    ("let (c : int) = if 1 then in (iota 2) else in 3 in c", "T-RESULT type"),
    ("let (c : [3]) = if 1 then in (iota 2) else in (iota 3) in c", "T-RESULT size"),
    ("param (n : int) (xs : [n + 1]) in xs", "T-PARAM scope"),
    ("param (n : [2]) (xs : [n]) in xs", "T-PARAM type"),
];

#[test]
fn programs_do_what_they_say_and_cover_the_roll() {
    let mut coverage = Coverage::new::<Rule>();
    let mut wrong = Vec::new();
    for (source, input, expected) in RUNS {
        let found = text(source, input, &mut coverage);
        if found != *expected {
            wrong.push(format!("{source}\n  expected {expected}\n  found    {found}"));
        }
    }
    for (source, expected) in REJECTIONS {
        let found = rejected(source, &mut coverage);
        if found != *expected {
            wrong.push(format!("{source}\n  expected {expected}\n  found    {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(coverage.missing(), Vec::<String>::new());
}

/// What one branch consumes the other one has; a loop owns what it carries.
#[test]
fn consumption_follows_control() {
    let mut coverage = Coverage::new::<Rule>();
    let branches = "param (c : int) let (a : [2]) = iota 2
        let (b : [2]) = if c then let (u : [2]) = a with [1 : 1] = 3 in u
                             else let (v : [2]) = a with [2 : 1] = 3 in v
        in b";
    assert_eq!(text(branches, "0", &mut coverage), "[1, 3]");
    let carried = "param (a : [2])
        let (b : [2]) = loop (x : [2] = a) for i <= 2 do
          let (y : [2]) = x with [i : 1] = x[i] + a[1] in y
        in (a, b)";
    assert_eq!(text(carried, "[1, 2]", &mut coverage), "[1, 2], [2, 3]");
}

#[test]
fn runs_stay_within_their_budget() {
    let mut coverage = Coverage::new::<Rule>();
    let mut ending = |source, input, fuel, memory| {
        outcome(source, input, &Budget { fuel, memory }, &mut coverage).ending
    };
    let iota = "param (n : int) let (a : [n]) = iota n in (a[n])";
    assert_eq!(
        format!("{:?}", ending(iota, "2000000000", 1000, 1000)),
        "Unknown(Memory(8000000000))"
    );
    assert_eq!(format!("{:?}", ending(iota, "1000", 1000, 10_000)), "Unknown(Fuel)");
    let rows = "param (n : int)
        let (a : [n][n][n][0]) = kernel i <= n do
          let (b : [n][n][0]) = kernel j <= n do
            let (c : [n][0]) = kernel k <= n do let (d : [0]) = iota 0 in (d) in c
          in (b)
        in a";
    assert_eq!(format!("{:?}", ending(rows, "2000000000", 100_000, 1000)), "Unknown(Fuel)");
    let zeros = "param (n : int) let (a : [1]) = [0] let (b : [n][n]) = kernel i <= n do
        let (r : [n]) = a[1 : n : 0] in (r) in (b[1, 1])";
    assert_eq!(
        format!("{:?}", ending(zeros, "2000000000", 100_000, 1000)),
        "Unknown(Memory(16000000000000000004))"
    );
}

#[test]
fn inputs_fit_or_are_refused() {
    let program = parse::program("param (n : int) (xs : [n][3]) in xs").expect("it parses");
    let fit = |input| {
        let values = parse_values(input).expect("values");
        eval::fit(&program, values).map_err(|error| error.message)
    };
    assert_eq!(fit("0, []").expect("empty")[1].to_string(), "empty[0][3]");
    assert!(fit("1, [[1, 2, 3]]").is_ok());
    for input in ["", "1", "1, 2", "[1], [[1, 2, 3]]", "1, [[1, 2]]", "1, []", "-1, []"] {
        assert!(fit(input).is_err(), "{input}");
    }
}

#[test]
fn counts_what_it_did() {
    let mut coverage = Coverage::new::<Rule>();
    let source = "param (n : int) let (a : [n]) = kernel i <= n do
        let (x : int) = loop (s : int = 0) for j <= i do in (s + j) in x in a";
    let stats = outcome(source, "4", &Budget::default(), &mut coverage).stats;
    assert_eq!((stats.threads, stats.rounds, stats.elements), (4, 4, 4));
    assert_eq!(stats.statements, 1 + 4 + 10);
}

/// Programs as deep as a parser lets them be run on the stack of a test thread.
#[test]
fn nesting_is_no_danger() {
    let mut coverage = Coverage::new::<Rule>();
    let depth = 120;
    let mut source = String::from("param (c : int) ");
    for level in 0..depth {
        source += &format!("let (a{level} : int) = if c then ");
    }
    source += "in (c)";
    for level in (0..depth).rev() {
        source += &format!(" else in (0) in (a{level})");
    }
    assert_eq!(text(&source, "7", &mut coverage), "7");
}
