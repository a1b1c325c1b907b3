//! Plans of work groups come out of a search from the loop.

use compiler::rewrite::explain::chain;
use compiler::rewrite::import::import;
use compiler::rewrite::plan::Plan;
use compiler::rewrite::search::{Limits, Searched, Stop, search};
use compiler::rewrite::sketch::Sketch;
use compiler::rewrite::{Found, Wanted, extract, groups};
use reference::axes::syntax::{Head, Level, Place, Program, Term};
use reference::axes::{print, types};
use std::time::Duration;

fn imported(file: &str, sizes: &[(&str, i32)]) -> Program {
    let path = format!("{}/../corpus/fun/pass/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("it is in the corpus");
    let program = reference::fun::parse::program(&text).expect("it parses");
    let sizes: Vec<(String, i32)> =
        sizes.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect();
    import(&program, &sizes).unwrap_or_else(|no| panic!("{file}: {no:?}"))
}

fn limits(tiles: &[u32]) -> Limits {
    let limits =
        Limits { tiles: tiles.to_vec(), time: Duration::from_secs(60), ..Limits::default() };
    groups::limits(&limits)
}

/// The search, and the first plan of work groups that is wanted.
fn found(program: &Program, limits: &Limits, wanted: impl Fn(&Term) -> bool) -> (Searched, Found) {
    like("", program, limits, wanted)
}

/// The same of plans that are like a sketch, if it is not empty.
fn like(
    sketch: &str,
    program: &Program,
    limits: &Limits,
    wanted: impl Fn(&Term) -> bool,
) -> (Searched, Found) {
    types::check(program).unwrap_or_else(|no| panic!("{}", no.message));
    let searched = search(program, limits).expect("it is a term");
    let sketch = (!sketch.is_empty()).then(|| Sketch::read(sketch).expect("it is a sketch"));
    let pattern = sketch.map(|sketch| sketch.pattern(&searched));
    let pattern = pattern.transpose().unwrap_or_else(|no| panic!("{}", no.message));
    let all = extract(&searched, &Wanted::default(), pattern.as_ref());
    let terms = || {
        let text = all
            .iter()
            .map(|found| format!("{:?}\n{}", found.estimate, print::term(&found.program.term)));
        text.collect::<Vec<_>>().join("\n")
    };
    let (nodes, classes) = searched.size();
    let first = all.iter().find(|found| wanted(&found.program.term)).cloned();
    let first = first.unwrap_or_else(|| {
        panic!(
            "{nodes} nodes, {classes} classes, {}: {} found\n{}",
            searched.stop.text(),
            all.len(),
            terms()
        )
    });
    assert!(matches!(first.plan, Plan::Device(_)), "{}", print::term(&first.program.term));
    (searched, first)
}

/// How deeply stores of work groups that have these words between their rows stand in one another.
fn depth(of: &Term, pad: u32) -> usize {
    let inner = of.args.iter().map(|arg| depth(arg, pad)).max().unwrap_or(0);
    let own = Head::Place(Place::Group { pad });
    inner + usize::from(of.head == Head::Store && of.args[0].head == own)
}

fn has_level(of: &Term, level: Level) -> bool {
    let mut found = false;
    of.walk(&mut |term| found |= term.head == Head::Level(level));
    found
}

/// The steps lead from the program to the plan.
fn certified(searched: &Searched, limits: &Limits, found: &Found) -> usize {
    let chain = chain(searched, limits, &found.program, Duration::from_secs(5));
    let chain = chain.unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(chain.last().map(|link| &link.term), Some(&found.program.term));
    chain.len()
}

/// Groups of 16 make a tree of four levels, whose first adds while it loads; then one thread sums up.
#[test]
fn a_sum_becomes_trees_in_work_groups() {
    let (program, limits) = (imported("sum.fun", &[("n", 256)]), limits(&[16]));
    let tree = |term: &Term| {
        depth(term, 0) >= 3 && has_level(term, Level::Lane) && has_level(term, Level::Group)
    };
    let (searched, found) = found(&program, &limits, tree);
    assert!(certified(&searched, &limits, &found) > 5);
}

/// A group for each row, whose lanes add while they load. Rows are short, so one level is cheapest.
#[test]
fn sums_of_rows_add_while_they_load_in_work_groups() {
    let (program, limits) = (imported("sums_of_rows.fun", &[("n", 8), ("m", 4)]), limits(&[]));
    let tree = |term: &Term| depth(term, 0) >= 1 && has_level(term, Level::Lane);
    let (searched, found) = found(&program, &limits, tree);
    assert!(certified(&searched, &limits, &found) > 5);
}

/// A group for each row: its lanes add while they load, then each level of the tree halves what is left.
#[test]
fn sums_of_long_rows_become_trees_in_work_groups() {
    for (n, m, sketch, levels) in [
        (64, 16, "(red + j_h_h_h_h _ _)", 3),
        (100, 16, "(red + j_h_h_h_h _ _)", 3),
        (32, 64, "(red + j_h_h_h_h_h_h _ _)", 5),
    ] {
        let (program, limits) =
            (imported("sums_of_rows.fun", &[("n", n), ("m", m)]), limits(&[4, 32]));
        let tree = |term: &Term| {
            depth(term, 0) >= levels
                && has_level(term, Level::Lane)
                && has_level(term, Level::Group)
        };
        let (searched, found) = like(sketch, &program, &limits, tree);
        assert_eq!(searched.stop, Stop::Saturated, "{n} {m}: {:?}", searched.size());
        assert!(certified(&searched, &limits, &found) > 5);
    }
}

/// Tiles whose rows are a word longer, so that columns are read without conflicts of banks.
#[test]
fn a_transpose_becomes_padded_tiles() {
    let (program, limits) =
        (imported("transposed_read.fun", &[("n", 64), ("m", 64)]), limits(&[32]));
    let tile = |term: &Term| {
        depth(term, 1) == 1 && has_level(term, Level::Group) && has_level(term, Level::Lane)
    };
    let (searched, found) = found(&program, &limits, tile);
    assert!(certified(&searched, &limits, &found) > 5);
}
