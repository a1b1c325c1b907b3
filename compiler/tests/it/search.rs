//! Searches: what they hold, and what comes out of them.

use compiler::rewrite::import::import;
use compiler::rewrite::search::{ASKED_FOR, Limits, Stop, search};
use compiler::rewrite::sketch::{Astray, Sketch, led};
use compiler::rewrite::{Wanted, extract};
use reference::axes::syntax::{Head, Level, Program, Term};
use reference::axes::{parse, print};
use std::time::Duration;

const ARRAYS: &str = "param (n : int = 1024) (m : int = 1024) (l : int = 1024) \
    (xs : [1024][1024]) (ys : [1024][1024])";

/// The matrix product of the corpus.
fn product(n: i32) -> Program {
    let source = include_str!("../../../corpus/fun/pass/matrix_product.fun");
    let source = reference::fun::parse::program(source).expect("it is a program");
    let sizes: Vec<(String, i32)> = ["n", "m", "l"].map(|name| (name.to_owned(), n)).to_vec();
    import(&source, &sizes).unwrap_or_else(|_| panic!("it enters"))
}

/// Loops around what one round computes, the outermost first.
fn nest(loops: &[&str], body: &str) -> Program {
    let open: String = loops.iter().map(|of| format!("({of} ")).collect();
    let close = ")".repeat(loops.len());
    let text = format!("{ARRAYS}\n(out {open}{body}{close} i j)");
    parse::program(&text).unwrap_or_else(|no| panic!("{}: {text}", no.message))
}

/// The seven schedules of Koehler, Trinder and Steuwer, *Sketch-Guided Equality Saturation* (2021),
/// section 6, which are those of TVM's tutorial, with vectors of four.
fn schedules() -> Vec<(&'static str, Program)> {
    const BLOCKED: &str = "(* (get xs {32*i_o32 + i_i32} {4*k_o4 + k_i4}) \
        (get ys {4*k_o4 + k_i4} {32*j_o32 + j_i32}))";
    const NARROW: &str = "(* (get xs {32*i_o32 + i_i32} {4*k_o4 + k_i4}) \
        (get ys {4*k_o4 + k_i4} {4*j_o4 + j_i4}))";
    const PACKED: &str = "(* (get xs {32*i_o32 + i_i32} {4*k_o4 + k_i4}) \
        (get (store glob (build seq ys_o2_4 256 (build seq ys_j2_4 1024 (build seq ys_i2_4 4 \
        (get ys ys_j2_4 {4*ys_o2_4 + ys_i2_4})))) ys_o2_4 ys_j2_4 ys_i2_4) \
        j_o4 {4*k_o4 + k_i4} j_i4))";
    let rows = "merge i i_o32 i_i32";
    let columns = "merge j j_o4 j_i4";
    let (i_o, i_i) = ("build seq i_o32 32", "build seq i_i32 32");
    let (j_o, j_i) = ("build seq j_o4 256", "build vec j_i4 4");
    let (k_o, k_i) = ("red + k_o4 256", "red + k_i4 4");
    vec![
        (
            "baseline",
            nest(
                &["build seq i 1024", "build seq j 1024", "red + k 1024"],
                "(* (get xs i k) (get ys k j))",
            ),
        ),
        (
            "blocking",
            nest(
                &[
                    rows,
                    "merge j j_o32 j_i32",
                    i_o,
                    "build seq j_o32 32",
                    k_o,
                    k_i,
                    i_i,
                    "build seq j_i32 32",
                ],
                BLOCKED,
            ),
        ),
        ("vectorise", nest(&[rows, columns, i_o, j_o, k_o, k_i, i_i, j_i], NARROW)),
        ("loop-perm", nest(&[rows, columns, i_o, j_o, k_o, i_i, k_i, j_i], NARROW)),
        ("array-packing", nest(&[rows, columns, i_o, j_o, k_o, i_i, k_i, j_i], PACKED)),
        ("cache-blocks", nest(&[rows, columns, i_o, j_o, "keep", k_o, i_i, k_i, j_i], PACKED)),
        (
            "parallel",
            nest(&[rows, columns, "build grid i_o32 32", j_o, "keep", k_o, i_i, k_i, j_i], PACKED),
        ),
    ]
}

/// Limits of which a loaded machine meets none that it would not meet else.
fn patient() -> Limits {
    Limits { time: Duration::from_secs(600), ..Limits::default() }
}

#[test]
fn a_matrix_product_is_known_in_the_seven_schedules() {
    let found = search(&product(1024), &patient()).expect("it is a term");
    let schedules = schedules();
    let held = schedules.iter().filter(|(_, schedule)| found.holds(&schedule.term));
    let held: Vec<&str> = held.map(|(name, _)| *name).collect();
    assert_eq!(held, schedules.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    assert_eq!(found.stop, Stop::Saturated, "{:?}", found.size());
}

/// What each schedule looks like: its loops in their order, and what is packed.
fn sketches() -> Vec<(&'static str, &'static str)> {
    vec![
        ("baseline", "(build seq i _ (build seq j _ (red + k _ _)))"),
        (
            "blocking",
            "(build seq i_o32 _ (build seq j_o32 _ (red + k_o4 _ (red + k_i4 _ \
             (build seq i_i32 _ (build seq j_i32 _ _))))))",
        ),
        (
            "vectorise",
            "(build seq i_o32 _ (build seq j_o4 _ (red + k_o4 _ (red + k_i4 _ \
             (build seq i_i32 _ (build vec j_i4 _ _))))))",
        ),
        (
            "loop-perm",
            "(build seq i_o32 _ (build seq j_o4 _ (red + k_o4 _ (build seq i_i32 _ \
             (red + k_i4 _ (build vec j_i4 _ _))))))",
        ),
        (
            "array-packing",
            "(build seq i_o32 _ (build seq j_o4 _ (red + k_o4 _ (build seq i_i32 _ \
             (red + k_i4 _ (build vec j_i4 _ (* _ (get (store _ _ _ _ _) j_o4 _ j_i4))))))))",
        ),
        (
            "cache-blocks",
            "(build seq i_o32 _ (build seq j_o4 _ (keep (red + k_o4 _ (build seq i_i32 _ \
             (red + k_i4 _ (build vec j_i4 _ (* _ (get (store _ _ _ _ _) j_o4 _ j_i4)))))))))",
        ),
        (
            "parallel",
            "(build grid i_o32 _ (build seq j_o4 _ (keep (red + k_o4 _ (build seq i_i32 _ \
             (red + k_i4 _ (build vec j_i4 _ (* _ (get (store _ _ _ _ _) j_o4 _ j_i4)))))))))",
        ),
    ]
}

/// The loops of a term on the way to its innermost reduction or vector, and what is kept.
fn loops(term: &Term) -> Vec<String> {
    let mut loops = Vec::new();
    let mut at = term;
    loop {
        match at.head {
            Head::Build | Head::Red => {
                let args: Vec<String> = at.args[..2].iter().map(print::term).collect();
                loops.push(args.join(" "));
                at = &at.args[3];
            }
            Head::Merge => at = &at.args[3],
            Head::Keep => {
                loops.push("keep".to_owned());
                at = &at.args[0];
            }
            Head::Out => at = &at.args[0],
            _ => return loops,
        }
    }
}

#[test]
fn each_schedule_comes_out_with_a_sketch() {
    let searched = search(&product(1024), &patient()).expect("it is a term");
    let wanted = Wanted { keep: 2, ..Wanted::default() };
    for ((name, text), (_, schedule)) in sketches().into_iter().zip(schedules()) {
        let pattern = Sketch::read(text).and_then(|sketch| sketch.pattern(&searched));
        let pattern = pattern.unwrap_or_else(|no| panic!("{name}: {}", no.message));
        let found = extract(&searched, &wanted, Some(&pattern));
        let first = found.first().unwrap_or_else(|| panic!("{name} does not come out"));
        assert_eq!(loops(&first.program.term), loops(&schedule.term), "{name}");
    }
}

/// A search that is led to a blocked form splits a tile of it again, which the first one does not.
#[test]
fn a_search_goes_on_from_a_sketch() {
    let program = product(64);
    let without = ["split-red", "pack", "pack-rows", "pack-columns", "keep", "swap-merge"];
    let without = ASKED_FOR.into_iter().chain(without).map(str::to_owned).collect();
    let limits = Limits { without, ..patient() };
    let wanted = Wanted { keep: 1, ..Wanted::default() };
    let sketch = |text: &str| Sketch::read(text).expect("it is a sketch");
    let blocked = sketch("(build grid i _ (build seq j_o32 _ (red + k _ (build seq j_i32 _ _))))");
    let again = sketch("(build seq j_i32_o4 _ (red + k _ (build vec j_i32_i4 _ _)))");
    let no = led(&program, std::slice::from_ref(&again), &limits, &wanted);
    assert!(matches!(no, Err(Astray::Wrong(..))), "a tile is not split again");
    let led =
        led(&program, &[blocked, again], &limits, &wanted).unwrap_or_else(|no| panic!("{no}"));
    let found = led.extract(&wanted);
    let axes = loops(&found.first().expect("it comes out").program.term).join(", ");
    assert!(axes.contains("seq j_i32_o4") && axes.contains("vec j_i32_i4"), "{axes}");
}

#[test]
fn a_sketch_that_says_nothing_is_refused() {
    for (text, place) in
        [("_", 0), ("(build _ _ _ _)", 0), ("(build seq i _", 14), ("(build seq 3 _ _)", 11)]
    {
        let no = Sketch::read(text).expect_err(text);
        assert_eq!(no.span.start, place, "{text}: {}", no.message);
    }
    let program = parse::program("param (xs : [8])\n(out (build grid i 8 (get xs i)) i)");
    let program = program.expect("it is a term");
    let lead = |text: &str| {
        let sketch = Sketch::read(text).expect("it is a sketch");
        led(&program, &[sketch], &Limits::default(), &Wanted::default()).err()
    };
    let Some(Astray::Wrong(_, no)) = lead("(build seq z _ _)") else { panic!("z is no axis") };
    assert_eq!(no.span.start, 11, "{}", no.message);
    assert!(matches!(lead("(get xs _)"), Some(Astray::Wrong(..))), "an array is no axis");
    assert!(matches!(lead("(red + i _ _)"), Some(Astray::NotReached(..))));
    assert!(lead("(build _ i _ (get xs i))").is_none());
}

/// The sum of so many numbers, by one loop.
fn sum(n: u32) -> Program {
    let text = format!("param (xs : [{n}])\n(out (red + k {n} (get xs k)))");
    parse::program(&text).expect("it is a term")
}

/// Is the array of partial sums made by a launch?
fn is_two_steps(program: &Program) -> bool {
    let mut found = false;
    program.term.walk(&mut |term| {
        let launched =
            |of: &Term| of.head == Head::Build && of.args[0].head == Head::Level(Level::Grid);
        found |= term.head == Head::Store && launched(&term.args[1]);
    });
    found
}

/// One thread after the other is the host. To bring an array to the device pays off for long ones.
#[test]
fn a_long_sum_is_made_in_two_steps() {
    for (n, two) in [(1 << 10, false), (1 << 20, true)] {
        let limits = Limits { tiles: vec![32, 1024], ..patient() };
        let searched = search(&sum(n), &limits).expect("it is a term");
        assert_eq!(searched.stop, Stop::Saturated);
        let found = extract(&searched, &Wanted::default(), None);
        let first = &found.first().expect("there is a plan").program;
        assert_eq!(is_two_steps(first), two, "{n}: {}", print::program(first));
    }
}

/// Rows too, whatever their sizes, though for short ones that is not what costs least.
#[test]
fn sums_of_rows_are_made_in_two_steps() {
    let sketch = "(red + k_o4 _ (get (store glob (build grid i_m _ _) _ _) _ _))";
    for (n, m) in [(64, 16), (32, 64), (100, 16)] {
        let text = format!(
            "param (xs : [{n}][{m}])\n(out (build seq i {n} (seq sum k {m} 0 (+ sum (get xs i k)))) i)"
        );
        let program = parse::program(&text).expect("it is a term");
        let searched = search(&program, &patient()).expect("it is a term");
        assert_eq!(searched.stop, Stop::Saturated, "{n} {m}: {:?}", searched.size());
        let pattern = Sketch::read(sketch).and_then(|sketch| sketch.pattern(&searched));
        let pattern = pattern.unwrap_or_else(|no| panic!("{}", no.message));
        let found = extract(&searched, &Wanted::default(), Some(&pattern));
        let first = &found.first().expect("there is a plan").program;
        assert!(is_two_steps(first), "{n} {m}: {}", print::program(first));
    }
}

/// A limit that is met is said, and what was found until then comes out.
#[test]
fn a_search_that_meets_a_limit_says_so() {
    let some = patient();
    for (limits, stop) in [
        (Limits { nodes: 300, ..some.clone() }, Stop::Nodes),
        (Limits { bytes: 1 << 20, ..some.clone() }, Stop::Memory),
        (Limits { time: Duration::ZERO, ..some.clone() }, Stop::Time),
        (Limits { rounds: 1, ..some.clone() }, Stop::Rounds),
        (Limits { budget: 5, ..some.clone() }, Stop::Budget),
    ] {
        let searched = search(&product(1024), &limits).expect("it is a term");
        assert_eq!(searched.stop, stop, "{:?}", searched.size());
        assert!(searched.size().0 < 2_000, "{:?}", searched.size());
        let cut = searched.profile.iter().any(|law| law.stopped);
        assert_eq!(cut, stop == Stop::Budget, "{stop:?}");
        assert!(!extract(&searched, &Wanted::default(), None).is_empty(), "{stop:?}");
    }
}
