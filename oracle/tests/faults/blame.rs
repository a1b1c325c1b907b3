//! Each planted fault is found soon, without a driver, the pass that carries it is blamed, and
//! the witness is small.

use oracle::campaign::{self, Elapsed, Kept, Record, Settings, Tally, Watch};
use oracle::check::{Depth, Kind, Tester};
use oracle::engine::{Case, Origin};
use oracle::engines::child::Launcher;
use oracle::faults::{Entry, FAULTS};
use oracle::stages::Plan;
use reference::kit::faults::Planted;
use reference::kit::language;
use reference::kit::outcome::{Budget, Value};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub(crate) struct Silent;

impl Watch for Silent {
    fn progress(&self, _: &Tally, _: Elapsed) {}
    fn found(&self, _: &Kept) {}
    fn flaked(&self, record: &Record, _: &Path) {
        panic!("no adapter is asked: {}", record.text());
    }
    fn unwritten(&self, _: &Record, error: &std::io::Error) {
        panic!("a finding cannot be written: {error}");
    }
    fn broken(&self, text: &str) {
        panic!("{text}");
    }
    fn unsaved(&self, error: &std::io::Error) {
        panic!("the campaign cannot be kept: {error}");
    }
}

/// Inner nodes of a term that shows a wrong law.
const NODES: usize = 8;

/// In what time a fault is found, on a core that nothing else keeps busy.
const SOON: Duration = Duration::from_secs(10);

fn blames_its_pass(id: &str) {
    blames_in_time(id, 1);
}

fn blames_in_time(id: &str, seed: u64) {
    let seen = found(id, seed);
    assert!(seen < SOON, "{id} took {seen:?}");
}

/// A campaign on one core that ends with the first finding of a fault.
pub(super) fn settings(folder: &Path, fault: &Entry, seed: u64) -> Settings {
    Settings {
        seed,
        first: 0,
        resumed: None,
        time: Some(Duration::from_secs(60)),
        programs: None,
        threads: 1,
        findings: folder.to_owned(),
        claim: None,
        keep: 1,
        shrink: Duration::from_secs(60),
        adapters: Vec::new(),
        absent: None,
        launcher: Launcher::of(env!("CARGO_BIN_EXE_lockstep").into()),
        share: 0.0,
        only: Vec::new(),
        plan: Plan { planted: fault.planted(), ..Plan::default() },
        language: fault.language,
        options: language::Settings::default(),
        style: None,
        optimize: 0,
        fault: Some(fault.id.to_owned()),
        sources: oracle::mutate::Sources::none().into(),
        first_only: true,
    }
}

/// Finds a fault: when.
fn found(id: &str, seed: u64) -> Duration {
    let fault: &Entry = Entry::find(id).expect("it is on the list");
    let folder = tempfile::TempDir::new().expect("a folder");
    let settings = settings(folder.path(), fault, seed);
    let summary = campaign::run(&settings, &Arc::default(), &Silent);
    let kept = summary.kept.first().unwrap_or_else(|| panic!("{id} is not found"));
    let finding = &kept.record.finding;
    assert_eq!(finding.stage, fault.pass, "{id}: {}", finding.text);
    let text = kept.record.text();
    assert!(kept.record.statements() <= NODES, "{id} is not small:\n{text}");
    kept.seen
}

#[test]
fn x1() {
    blames_its_pass("X1");
}

#[test]
fn l3() {
    blames_its_pass("L3");
}

#[test]
fn l1() {
    blames_its_pass("L1");
}

#[test]
fn r1() {
    blames_its_pass("R1");
}

#[test]
fn d2() {
    blames_its_pass("D2");
}

/// U1: a block of zeros that nobody wrote gives the right result, so only a run that looks for such reads tells.
#[test]
fn zeros_that_nobody_wrote_are_seen_where_they_are_looked_for() {
    let programs = [
        "param (n : int)\nlet (xs : [n]) = replicate n 0\nin (xs)",
        "param (n : int)\nlet (xs : [n]) = kernel i <= n do in (0)\nlet (x : int) = xs[2]\nin (x)",
        "param (n : int)\nlet (xs : [n][n]) = kernel i <= n do\n  let (r : [n]) = replicate n 0\n  in (r)\n\
            in (xs)",
    ];
    let fault = Entry::find("U1").expect("it is on the list");
    for source in programs {
        let case = Case {
            program: oracle::language::Lang::Fun.parse(source).expect("it is well formed"),
            input: vec![Value::from(3)],
            schedule: 1,
            settings: language::Settings::default(),
            budget: Budget::default(),
            origin: Origin::File("zeros.fun".to_owned()),
        };
        for depth in [Depth::Whole, Depth::Quick] {
            let plan = Plan { planted: fault.planted(), ..Plan::default() };
            let mut tester = Tester::new(Vec::new(), plan);
            let seen = tester.examine(&case, depth);
            let finding = seen.finding().unwrap_or_else(|| panic!("it is seen in {source}"));
            assert_eq!((finding.stage, finding.kind), (fault.pass, Kind::Unwritten), "{source}");
            tester.watches = false;
            assert_eq!(tester.examine(&case, depth).finding(), None, "{source}");
            tester.plan.planted = Planted::NONE;
            tester.watches = true;
            assert_eq!(tester.examine(&case, depth).finding(), None, "{source}");
        }
    }
}

#[test]
fn b1() {
    blames_its_pass("B1");
}

/// Few programs fail in a function, so this takes a while.
#[test]
fn w1() {
    found("W1", 1);
}

/// A loop's values give the stride of a block. With the copy lost it is 0: the results are wrong,
/// and, besides, all threads write one element. The translation is wrong, not the check of races.
#[test]
fn a_translation_that_also_races_is_blamed() {
    let source = "param (n : int)\n\
        let (a : int) (b : int) = loop (a : int = 1) (b : int = 0) for i <= 1 do\n  in (b, a)\n\
        let (m : mem) = alloc n\n\
        let (ys : [n] @ m -> 0 + {(n : b)}) = kernel i <= n do\n  in (i)\n\
        in (m, 0, b, ys)\n";
    let program = oracle::language::Lang::FunMem.parse(source).expect("it is well formed");
    let fault = Entry::find("D2").expect("it is on the list");
    let plan = Plan { planted: fault.planted(), ..Plan::default() };
    let case = Case {
        program,
        input: vec![Value::from(3)],
        schedule: 1,
        settings: language::Settings::default(),
        budget: Budget::default(),
        origin: Origin::File("stride.funmem".to_owned()),
    };
    let seen = Tester::new(Vec::new(), plan).examine(&case, Depth::Whole);
    let finding = seen.finding().expect("the fault shows");
    assert_eq!(finding.stage, fault.pass, "{}", finding.text);
}

/// The tester names the law that is wrong, of a term that is small.
macro_rules! laws {
    ($($name:ident $id:literal $seed:literal)*) => {
        $(#[test] fn $name() { found($id, $seed); })*

        const OF_LAWS: &[&str] = &[$($id),*];
    };
}

laws! {
    a_tile_that_does_not_divide "A1" 1
    tiles_of_another_axis "A2" 1
    tiles_from_the_start "A3" 1
    the_least_of_nothing "A4" 1
    a_partial_body "A5" 1
    a_wrong_identity "A6" 1
    a_name_out_of_its_binder "A7" 12
    an_odd_round "A8" 2
    rounds_that_begin_again "A9" 1
    operands_in_another_order "A10" 1
    indices_that_stay "A11" 1
}

/// A cost is kept after its class has changed: the estimate by the term alone tells.
#[test]
fn c1() {
    blames_in_time("C1", 2);
}

#[test]
fn every_fault_has_a_test() {
    let of_passes = ["X1", "L3", "L1", "R1", "D2", "U1", "B1", "W1"];
    let tested = of_passes.iter().chain(OF_LAWS).chain(&["C1"]);
    let tested = tested.chain(super::fcl::DRAWN);
    let tested = tested.chain(super::minias::DRAWN);
    let tested = tested.chain(super::lambda_g::DRAWN).copied();
    let mut tested: Vec<&str> = tested.chain(super::judge::shown()).collect();
    let mut all: Vec<&str> = FAULTS.iter().map(|fault| fault.id).collect();
    tested.sort_unstable();
    all.sort_unstable();
    assert_eq!(all, tested);
    for fault in FAULTS.iter().filter(|fault| OF_LAWS.contains(&fault.id)) {
        assert!(reference::axes::laws::Law::named(fault.pass.0).is_some(), "{}", fault.pass);
    }
}
