//! Statements of which two parts fail: which of them is told is the order of evaluation
//! (`proofs-notes/order_of_evaluation.md`), and every stage tells the same.
//!
//! A form is a statement with holes: `{i}`, `{u}` and the like. Each pair of its holes is filled with each pair of
//! parts that fail, and the others with parts that do not. The form stands in one of some surroundings; each pair of
//! holes is filled in each of them.

use oracle::check::{Depth, Tester, Verdict};
use oracle::engine::{Case, Origin};
use oracle::language::{Lang, Listed};
use oracle::stages::Plan;
use reference::device::Device;
use reference::fun::Fun;
use reference::funmem::FunMem;
use reference::imp::Imp;
use reference::kit::language::Settings;
use reference::kit::outcome::{Budget, Ending};
use reference::kit::value::parse_values;
use std::collections::BTreeMap;

/// Of so many programs one is looked at after each pass, the others where each language ends.
const WHOLE: usize = 7;

/// What stands in a hole: first what does not fail, then what does.
type Parts = &'static [&'static str];

/// The programs of a language.
struct Grid {
    lang: Lang,
    input: &'static str,
    /// Programs with the hole `{form}`.
    around: &'static [&'static str],
    forms: &'static [&'static str],
    /// By the name of the hole.
    parts: &'static [(&'static str, Parts)],
}

impl Grid {
    /// The holes of a form, in order: the text before each, and its parts.
    fn holes(&self, form: &'static str) -> (Vec<(&'static str, Parts)>, &'static str) {
        let (mut holes, mut rest) = (Vec::new(), form);
        loop {
            let found = self
                .parts
                .iter()
                .filter_map(|(hole, parts)| rest.find(hole).map(|at| (at, hole.len(), *parts)));
            let Some((at, length, parts)) = found.min_by_key(|(at, ..)| *at) else {
                return (holes, rest);
            };
            holes.push((&rest[..at], parts));
            rest = &rest[at + length..];
        }
    }

    /// The form with each hole filled with the part of this number.
    fn filled(&self, form: &'static str, parts: &[usize]) -> String {
        let (holes, rest) = self.holes(form);
        let text =
            holes.iter().zip(parts).map(|((before, all), part)| format!("{before}{}", all[*part]));
        text.chain([rest.to_owned()]).collect()
    }

    /// Programs of which two parts of a statement fail, all pairs of parts in all pairs of holes.
    fn programs(&self) -> Vec<String> {
        let mut programs = Vec::new();
        for form in self.forms {
            let holes = self.holes(form).0;
            for second in 0..holes.len() {
                for first in 0..second {
                    for one in 1..holes[first].1.len() {
                        for other in 1..holes[second].1.len() {
                            let mut parts = vec![0; holes.len()];
                            (parts[first], parts[second]) = (one, other);
                            let form = self.filled(form, &parts);
                            let around = self.around[(one + other) % self.around.len()];
                            programs.push(around.replace("{form}", &form));
                        }
                    }
                }
            }
        }
        programs
    }

    /// Puts all of them through all checks. So many get stuck, and that in every stage alike; so many have no
    /// answer.
    #[track_caller]
    #[allow(clippy::print_stdout)]
    fn agrees(&self, expected: usize, without_answer: usize) {
        let mut tester = Tester::new(Vec::new(), Plan::default());
        let (mut stuck, mut unknown) = (0, 0);
        let mut found: BTreeMap<String, (usize, String)> = BTreeMap::new();
        let programs = self.programs();
        for (number, text) in programs.iter().enumerate() {
            let program = self.lang.parse(text).unwrap_or_else(|error| panic!("{text}\n{error:?}"));
            let input = parse_values(self.input).expect("the input parses");
            let (settings, budget) = (Settings::default(), Budget::default());
            let origin = Origin::File(String::new());
            let case = Case { program, input, schedule: 0, settings, budget, origin };
            // Where the ends agree, so do most likely the stages between.
            let depth = if number % WHOLE == 0 { Depth::Whole } else { Depth::Quick };
            let seen = tester.examine(&case, depth);
            match seen.verdict {
                Verdict::Agree => {
                    let is_stuck = matches!(seen.sides[0].outcome.ending, Ending::Stuck(_));
                    stuck += usize::from(is_stuck);
                }
                Verdict::Unknown(_) => unknown += 1,
                verdict => {
                    let at = match &verdict {
                        Verdict::Finding(finding) => format!("{}", finding.stage),
                        other => format!("{other:?}"),
                    };
                    let entry =
                        found.entry(at).or_insert_with(|| (0, format!("{text}\n{verdict:?}")));
                    entry.0 += 1;
                }
            }
        }
        println!("{}: {} programs, {stuck} stuck, {unknown} unknown", self.lang, programs.len());
        let found =
            found.iter().map(|(at, (count, first))| format!("{count} at {at}, such as\n{first}"));
        let found: Vec<String> = found.collect();
        assert!(found.is_empty(), "{}", found.join("\n\n"));
        assert_eq!(
            (stuck, unknown),
            (expected, without_answer),
            "stuck and unknown of {}",
            programs.len()
        );
    }
}

#[test]
fn of_imp() {
    let grid = Grid {
        lang: Imp::LANG,
        input: "0, -3, 2000000000, [1, 2, 3, 4]",
        around: &[
            "param (z : int) (n : int) (big : int) (b : mem [4])
             var none : mem; var x : int; var c : mem; {form} results (x) (b : [4] @ 0 + {(4 : 1)})",
            "param (z : int) (n : int) (big : int) (b : mem [4])
             var none : mem; var x : int; var c : mem;
             for r <= 2 do c <- b; {form} done results (x) (b : [4] @ 0 + {(4 : 1)})",
            "param (z : int) (n : int) (big : int) (b : mem [4])
             var none : mem; var x : int; var c : mem;
             if z then skip else {form} fi results (x) (b : [4] @ 0 + {(4 : 1)})",
        ],
        forms: &[
            "{b}[{i}] <- {i}",
            "x <- {b}[{i}]",
            "x <- {i} + {i}",
            "x <- {i} / {i}",
            "x <- min({i}, {i} * {i})",
            "c <- alloc {i} + {i}",
            "check index({i}, {i})",
            "check slice({i}, {i} * big, 1, {i} * big)",
            "check size({i} - {i})",
            "kernel k <= {i} do {b}[{i}] <- {i} done",
            "kernel k <= {i} do kernel l <= {i} do {b}[{i}] <- {i} done done",
            "kernel k <= {i} do var e : int; e <- {b}[k - 1 + {i}]; {b}[k - 1 + {i}] <- e done",
            "for k <= {i} do {b}[{i}] <- {i} done",
            "kernel k <= 1 do for l <= {i} do x <- {b}[{i}]; {b}[{i} + x] <- {i} done done",
            "kernel k <= 1 do check index({i}, {i}) done",
            "kernel k <= 1 do check slice({i}, {i} * big, 1, {i} * big) done",
            "kernel k <= 1 do x <- {i} + {i}; x <- {b}[{i} * x + {i}] done",
            "kernel k <= 1 do c <- {b}; c[{i}] <- {i} % {i} done",
        ],
        parts: &[
            ("{i}", &["1", "7 / z", "(5 % z)", "n", "99", "(3 / z) * n"]),
            ("{b}", &["b", "none"]),
        ],
    };
    grid.agrees(1275, 0);
}

#[test]
fn of_results_of_imp() {
    let grid = Grid {
        lang: Imp::LANG,
        input: "0, -3, [1, 2, 3, 4]",
        around: &["param (z : int) (n : int) (b : mem [4]) var none : mem {form}"],
        forms: &[
            "results ({b} : [2] @ {i} + {(2 : {i})})",
            "results ({b} : [n] @ {i} + {(n : {i})})",
            "results ({b} : [2][n] @ {i} + {(2 : {i})(n : {i})})",
            "results ({b} : [2] @ 0 + {(2 : {i})}) ({b} : [2] @ {i} + {(2 : 1)})",
        ],
        parts: &[("{i}", &["1", "(7 / z)", "(5 % z)", "99"]), ("{b}", &["b", "none"])],
    };
    grid.agrees(88, 0);
}

const OF_FUN: Parts = &["1", "7 / z", "xs[9]", "yss[1, z]", "n"];

const FUN: &[&str] = &[
    "param (z : int) (n : int) (xs : [4]) (yss : [2][3]) {form} in (r)",
    "param (z : int) (n : int) (xs : [4]) (yss : [2][3])
     let (rs : [2]) = kernel t <= 2 do {form} in (r) in (rs)",
    "param (z : int) (n : int) (xs : [4]) (yss : [2][3])
     let (rss : [2][2]) = kernel t <= 2 do
       let (rs : [2]) = kernel s <= 2 do {form} in (r) in (rs) in (rss)",
    "param (z : int) (n : int) (xs : [4]) (yss : [2][3])
     let (all : int) = loop (a : int = 0) for t <= 2 do {form} in (r) in (all)",
    "param (z : int) (n : int) (xs : [4]) (yss : [2][3])
     let (all : int) = if n then {form} in (r) else in (3) in (all)",
];

#[test]
fn of_fun() {
    let grid = Grid {
        lang: Fun::LANG,
        input: "0, -3, [1, 2, 3, 4], [[1, 2, 3], [4, 5, 6]]",
        around: FUN,
        forms: &[
            "let (r : int) = {i} + {i}",
            "let (r : int) = min({i}, {i} / {i})",
            "let (r : int) = xs[{i}] * {i}",
            "let (r : int) = yss[{i}, {i}]",
            "let (s : [n]) = xs[{i} : n] let (r : int) = {i} + {i}",
            "let (m : int) = {i} let (s : [m]) = xs[{i} : m] let (r : int) = s[{i}]",
            "let (m : int) = {i} let (s : [m]) = xs[{i} : m : {i}] let (r : int) = s[{i}]",
            "let (m : int) = {i} let (k : int) = {i} let (s : [m][k]) = yss[{i} : m, {i} : k]
             let (r : int) = s[1, 1]",
            "let (c : [4]) = copy xs let (s : [4]) = c with [{i}] = {i} let (r : int) = s[{i}]",
            "let (m : int) = {i} let (s : [m]) = kernel i <= m do in ({i}) let (r : int) = s[{i}]",
            "let (m : int) = {i} let (k : int) = {i} let (p : [m][k]) (q : [m][n]) = kernel i <= m do
               let (a : [k]) = kernel j <= k do in ({i}) let (b : [n]) = kernel j <= n do in ({i}) in (a, b)
             let (r : int) = p[1, 1]",
            "let (r : int) = loop (a : int = {i}) for i <= {i} do let (e : int) = {i} in (e)",
            "let (r : int) = if {i} then in ({i}) else in (2)",
        ],
        parts: &[("{i}", OF_FUN)],
    };
    grid.agrees(634, 0);
}

#[test]
fn of_funmem() {
    let grid = Grid {
        lang: FunMem::LANG,
        input: "0, -3, [1, 2, 3, 4]",
        around: &[
            "param (z : int) (n : int) (m_xs : mem) (xs : [4] @ m_xs -> R(4)) {form} in (r)",
            "param (z : int) (n : int) (m_xs : mem) (xs : [4] @ m_xs -> R(4))
             let (m_rs : mem) = alloc 2
             let (rs : [2] @ m_rs -> R(2)) = kernel t <= 2 do {form} in (r) in (rs)",
        ],
        forms: &[
            "let (m : mem) = alloc {i} + {i} let (r : int) = {i} - {i}",
            "let (k : int) = {i} let (m : mem) = alloc {i}
             let (s : [k] @ m -> R(k)) = kernel i <= k do in ({i}) let (r : int) = s[{i}]",
            "let (k : int) = {i} let (s : [k] @ m_xs -> 0 + {(k : 1)}) = xs[{i} : k]
             let (r : int) = s[{i}]",
            "let (k : int) = {i} let (s : [k] @ m_xs -> 1 + {(k : 1)}) = xs[{i} : k]
             let (r : int) = s[{i}]",
            "let (m : mem) = alloc {i}
             let (s : [4] @ m -> R(4)) = xs with [{i} : 2] = {i} let (r : int) = s[{i}]",
        ],
        parts: &[("{i}", &["4", "7 / z", "xs[9]", "n", "5 % z"])],
    };
    grid.agrees(379, 0);
}

const OF_KERNEL: &[(&str, Parts)] = &[
    ("{i}", &["1", "7 / z", "b.[9]", "v[z - 1]", "u[z + 2]", "b.[3 / z]"]),
    ("{u}", &["u32 1", "u32(7 / z)", "u32(b.[9])", "u32(v[z - 1])"]),
    ("{at}", &["b.[1]", "b.[7]", "b.[9 / z]", "b.[z - 1]"]),
    ("{var}", &["w[1]", "w[7 + z]", "w[9 / z]", "w[b.[8]]"]),
    ("{group}", &["g[1]", "g[7 + z]", "g[9 / z]"]),
    ("{counter}", &["c.[1]", "c.[7]", "c.[9 / z]"]),
];

/// A program with these statements in its kernel.
macro_rules! of_kernel {
    ($statements:literal) => {
        concat!(
            "fn f(x : i32, y : i32) -> i32 { let q : i32 = x / (y - 1); return q + 6 / (y - y); }
             fn h(x : i32, y : i32) -> i32 { return x + y; }
             kernel k(b : block[i32], c : block[atomic[i32]], z : i32) group 1 {
               workgroup g : array[i32, 4];
               let v : vec4[i32] = make vec4[i32](b.[0], 1, 2, 3);
               let u : array[i32, 2] = make array[i32, 2](z, 1);
               var w : vec2[i32]; ",
            $statements,
            " b.[0] = 9;
             }
             param z : i32; param b : [4]; let c = alloc atomic[i32](4);
             launch k(b, c, z) for 1; result b : [4] at 0 strides (1);"
        )
    };
}

#[test]
fn of_kernels() {
    let grid = Grid {
        lang: Device::LANG,
        input: "0, [1, 2, 3, 4]",
        around: &[
            of_kernel!("{form}"),
            of_kernel!(
                "loop (round : i32 = 0) while round < 2 {
                   barrier workgroup;
                   if b.[round] > 0 { {form} }
                 } next (round + 1);
                 barrier storage;"
            ),
        ],
        forms: &[
            "let x : i32 = {i} + {i};",
            "let x : i32 = {i} / {i};",
            "let x : i32 = select({i} < 1, {i}, {i});",
            "let x : vec2[i32] = make vec2[i32]({i}, {i});",
            "let x : i32 = v[{i}] - {i};",
            "let x : i32 = b.[{i}] * {i};",
            "var x : vec2[i32] = make vec2[i32]({i}, {i});",
            "{at} = {i};",
            "{var} = {i};",
            "{group} = {i} - {i};",
            "b.[{i}] = {i} + {i};",
            "atomic add({counter}, {i});",
            "atomic store({counter}, {i} - {i});",
            "let old = atomic compare_exchange({counter}, {i}, {i});",
            "let r = call f({i}, {i});",
            "let r = call h({i}, {i});",
            "let r = call h(b.[{i}], {i} - {i});",
            "check index({i}, {i});",
            "check index({i} - 1, {i}) at ({i});",
            "if {i} < {i} { b.[2] = {i}; } else { b.[2] = {i}; }",
            "switch {i} + {i} { 2 { b.[1] = {i}; } else { b.[1] = {i}; } }",
            "loop (p : i32 = {i}, q : i32 = {i}) while p + {i} < 3 + {i} fuel {u} { b.[2] = {i}; } next (p + {i}, q + {i});",
            "loop (p : i32 = {i}) while p < {i} { } next (p + {i});",
        ],
        parts: OF_KERNEL,
    };
    grid.agrees(1705, 0);
}

/// A program with these statements in its host program.
macro_rules! of_the_host {
    ($statements:literal) => {
        concat!(
            "kernel k(b : block[i32], x : i32, y : i32) group 1 { b.[x + 3] = 4 / (y - 1); }
             param z : i32; param n : i32; param b : [4]; ",
            $statements,
            " result b : [4] at 0 strides (1);"
        )
    };
}

#[test]
fn of_the_host() {
    let grid = Grid {
        lang: Device::LANG,
        input: "0, -3, [1, 2, 3, 4]",
        around: &[
            of_the_host!("{form}"),
            of_the_host!(
                "loop (round : i32 = 0) while round < 2 { if round == 1 { {form} } } next (round + 1);"
            ),
        ],
        forms: &[
            "let x : i32 = {i} + {i};",
            "let x : i32 = select({i} < {i}, {i}, 2);",
            "let x : i32 = 0; let y : i32 = 0; (x, y) = ({i}, {i});",
            "let x = alloc i32({i} + {i} * {i});",
            "let x = read b.[{i} + {i}];",
            "write b.[{i}] = {i};",
            "write b.[{i}] = {i} - {i};",
            "launch k(b, {i}, {i}) for {i};",
            "copy ({i}, 2) from b.[{i}] strides ({i}, 1) to b.[{i}] strides (1, {i});",
            "check index({i}, {i});",
            "if {i} < {i} { write b.[{i}] = 1; }",
            "loop (p : i32 = {i}, q : i32 = {i}) while p < {i} { write b.[{i}] = {i}; } next (p + {i}, q);",
            "par t <= {i} { b.[{i}] = 4 / (z * {i}); }",
        ],
        parts: &[("{i}", &["1", "7 / z", "(5 % z)", "n", "99"])],
    };
    grid.agrees(593, 2);
}

#[test]
fn of_results() {
    let grid = Grid {
        lang: Device::LANG,
        input: "0, -3, [1, 2, 3, 4]",
        around: &[
            "param z : i32; param n : i32; param b : [4]; let none : block[i32] = block(i32, u32 0, u32 0); {form}",
        ],
        forms: &[
            "result {b} : [{i}][{i}] at {i} strides ({i}, {i});",
            "result {i} + {i}; result {b} : [{i}] at {i} strides ({i});",
        ],
        parts: &[("{i}", &["1", "7 / z", "(5 % z)", "n", "99"]), ("{b}", &["b", "none"])],
    };
    grid.agrees(344, 0);
}
