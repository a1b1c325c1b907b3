//! Runs: the programs of the corpus, what no program with a type comes to, limits and regions.

mod graphs;

use super::{MAX_DEPTH, Priced, Run, Setting, Wanted, run, run_with_graph, with_stack};
use crate::cost::Machine;
use crate::kit::coverage::Coverage;
use crate::kit::derivation::{Derivation, Recorder};
use crate::kit::faults::Planted;
use crate::kit::header::Case;
use crate::kit::language::Language;
use crate::kit::outcome::{Broken, Budget, Ending, Outcome, Stuck, Value, Why};
use crate::kit::rules::Roll;
use crate::kit::value::parse_values;
use crate::lambda_g::rules::Rule;
use crate::lambda_g::syntax::{Program, R0};
use crate::lambda_g::tests::programs;
use crate::lambda_g::types::{Typed, ty::Ty};
use crate::lambda_g::values::{Env, Region, Stored};
use crate::lambda_g::{LambdaG, parse};
use expect_test::{Expect, expect};
use rustc_hash::FxHashMap;

fn program(source: &str) -> Program {
    let program = parse::program(source).unwrap_or_else(|no| panic!("{source}: {no:?}"));
    LambdaG::check(&program, &mut Recorder::counting()).unwrap_or_else(|no| panic!("{no:?}"));
    program
}

fn input(program: &Program, text: &str) -> Vec<Value> {
    let values = if text.is_empty() { Vec::new() } else { parse_values(text).expect("values") };
    LambdaG::fit(program, values).unwrap_or_else(|no| panic!("{no:?}"))
}

fn ran(source: &str, text: &str) -> Outcome {
    let program = program(source);
    let input = input(&program, text);
    run(&program, &input, &Setting::default(), &Budget::default(), &mut Recorder::counting())
}

/// What a run comes to, or where and why it is stuck.
fn ending(source: &str, text: &str) -> String {
    match ran(source, text).ending {
        Ending::Value(values) => values[0].to_string(),
        Ending::Stuck(stuck) => {
            let span = stuck.site.span;
            let at = &source[span.start as usize..span.end as usize];
            format!("{} {:?} at `{at}`: {}", stuck.rule, stuck.thread, stuck.sentence())
        }
        other => format!("{other:?}"),
    }
}

fn does_as_said(case: &Case, outcome: &Outcome) -> bool {
    match (&outcome.ending, &case.result, &case.stuck) {
        (Ending::Value(values), Some(result), None) => values == result,
        (Ending::Stuck(Stuck { rule, site, .. }), None, Some(said)) => {
            *rule == said.rule && said.premise.as_deref() == Some(site.cause.name())
        }
        _ => false,
    }
}

/// Runs without types: what a program does that has none.
fn unchecked(source: &str, to: &mut Recorder<Rule>) -> Outcome {
    let program = parse::program(source).unwrap_or_else(|no| panic!("{source}: {no:?}"));
    with_stack(|| {
        let (pushes, bounds) = (FxHashMap::default(), FxHashMap::default());
        let typed = Typed { ty: Ty::Bool, pushes, bounds };
        let setting = Setting::default();
        let mut run = Run::new(&program, &typed, &setting, &Budget::default(), to, Wanted::Nothing);
        let ended = run.take(&[]).and_then(|()| run.eval(&program.body, &Env::default()));
        run.state.meter.outcome(ended.map(|_| Vec::new())).into()
    })
    .outcome
}

/// Programs without a type, each with the rule at which it finds a region gone.
const GONE: [(&str, &str); 4] = [
    ("(letregion q in 1 at q) + 1 at r0 at r0", "E-READ"),
    ("(letregion q in fn (x : bool) ! {q} => 1 at q at r0) true", "E-NOEXPANDW"),
    ("letregion q in on let x = 1 at q in 2 at r0 at r0", "E-NBANKCONFW"),
    ("letregion q in let x = 1 at q in on x + x at r0 at r0", "E-NBANKCONFR"),
];

/// Every program of the corpus does what its header says, and together with those of [`GONE`] they fire each rule of
/// evaluation and fail each premise.
#[test]
fn programs_do_as_their_headers_say() {
    let mut coverage = Coverage::new::<Rule>();
    let mut wrong = Vec::new();
    for (name, header, source) in ["pass", "stuck"].into_iter().flat_map(programs) {
        assert!(!header.cases.is_empty(), "{name} does not say what it comes to");
        let program = program(&source);
        for case in &header.cases {
            let input = LambdaG::fit(&program, case.input.clone()).expect("the input fits");
            let mut recorder = Recorder::counting();
            let (setting, budget) = (Setting::default(), Budget::default());
            let Priced { outcome, graph, .. } =
                run_with_graph(&program, &input, &setting, &budget, &mut recorder, Wanted::Space);
            coverage.add(recorder.coverage());
            graphs::laws(&graph);
            if !does_as_said(case, &outcome) {
                wrong.push(format!("{name}: {:?}", outcome.ending));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (source, rule) in GONE {
        let mut recorder = Recorder::counting();
        let Ending::Stuck(stuck) = unchecked(source, &mut recorder).ending else {
            panic!("{source} is not stuck")
        };
        assert_eq!((stuck.rule.as_str(), stuck.site.cause.name()), (rule, "region_gone"));
        coverage.add(recorder.coverage());
    }
    let missing = coverage.missing();
    let missing: Vec<&String> = missing.iter().filter(|name| name.starts_with("E-")).collect();
    assert!(missing.is_empty(), "no program shows {missing:?}");
}

/// Theorem 4.2 (L58): a region that outlives another one by the bound of an instance is no younger. Programs with a type
/// give no other instances, so this one has none.
#[test]
fn regions_outlive_as_their_bounds_say() {
    let of = |region: &str| {
        let source = format!(
            "letregion a in letregion b in
             let f = rfn p >= {{b}} ! {{}} => true at r0 in
             f [{region}]"
        );
        unchecked(&source, &mut Recorder::counting()).ending
    };
    assert!(matches!(of("b"), Ending::Value(_)));
    let Ending::Broken(Broken::Panic(told)) = of("a") else { panic!("nothing is told") };
    assert_eq!(told, "a region outlives an older one by the bound of an instance");
}

#[test]
fn what_is_stuck_says_where() {
    let map = |body: &str| {
        format!(
            "on parmap (fn (i : (int, r0)) ! {{r0}} => {body} at r0) (iota (9 at r0) at r0) at r0 at r0"
        )
    };
    let mut text = String::new();
    for source in [
        "1 at r0 / 0 at r0 at r0".to_owned(),
        "[true] at r0 ! 1 at r0".to_owned(),
        map("7 at r0 / (i - 4 at r0 at r0) at r0"),
        map("[i] at r0 ! (i / 3 at r0 at r0)"),
        map("iota (if i < 5 at r0 then 200 at r0 else 1000 at r0) at r0"),
        "letregion q of 2 in let x = on [1 at q, 2 at q] at q at q in true".to_owned(),
    ] {
        text += &format!("{}\n", ending(&source, ""));
    }
    expect![[r#"
        E-ARITH [] at `1 at r0 / 0 at r0 at r0`: 1 is divided by zero
        E-INDEX [] at `[true] at r0 ! 1 at r0`: offset 1, counted from 0, is not one of 1 elements
        E-ARITH [5] at `7 at r0 / (i - 4 at r0 at r0) at r0`: 7 is divided by zero
        E-INDEX [4] at `[i] at r0 ! (i / 3 at r0 at r0)`: offset 1, counted from 0, is not one of 1 elements
        E-NOEXPANDWE [3] at `iota (if i < 5 at r0 then 200 at r0 else 1000 at r0) at r0`: a value of 1 words goes into a region with 0 words left, which cannot grow
        E-NOEXPANDWE [] at `[1 at q, 2 at q] at q`: a value of 2 words goes into a region with 0 words left, which cannot grow
    "#]].assert_eq(&text);
}

/// A loop is stopped by fuel, deep recursion by its depth, and neither by the stack of the machine.
#[test]
fn runs_that_do_not_end_are_stopped() {
    let recursive = |body: &str| {
        format!(
            "param n : (int, r0); let f = fix f : ((int, r0) -> {{r0}} (int, r0), r0) .
               fn (i : (int, r0)) ! {{r0}} => {body} at r0 in f n"
        )
    };
    let tail = recursive("if i < 1 at r0 then i else f (i - 1 at r0 at r0)");
    assert_eq!(ending(&tail, "100000"), "0");
    let deep = recursive("if i < 1 at r0 then i else f (i - 1 at r0 at r0) + 1 at r0 at r0");
    assert_eq!(ending(&deep, "5000"), "5000");
    let too_deep =
        format!("Unknown(NotModelled(\"more than {MAX_DEPTH} evaluations in one another\"))");
    assert_eq!(ending(&deep, "1000000"), too_deep);
    let forever = program(&recursive("f i"));
    let budget = Budget { fuel: 100_000, ..Budget::default() };
    let (input, setting) = (input(&forever, "1"), Setting::default());
    let outcome = run(&forever, &input, &setting, &budget, &mut Recorder::counting());
    assert_eq!(outcome.ending, Ending::Unknown(Why::Fuel));
    assert!(outcome.stopped.is_some());
    let large = ran("length (iota (2147483647 at r0) at r0) at r0", "");
    assert_eq!(large.ending, Ending::Unknown(Why::Fuel));
    let budget = Budget { memory: 1 << 20, ..Budget::default() };
    // So is a graph that is too large.
    let (source, mut to) = (recursive("f (i + 1 at r0 at r0)"), Recorder::counting());
    let endless = program(&source);
    let one = self::input(&endless, "1");
    let priced =
        run_with_graph(&endless, &one, &Setting::default(), &budget, &mut to, Wanted::Space);
    assert!(matches!(priced.outcome.ending, Ending::Unknown(Why::Memory(_))));
    let filling = program("iota (1000000 at r0) at r0");
    let outcome = run(&filling, &[], &Setting::default(), &budget, &mut Recorder::counting());
    assert!(matches!(outcome.ending, Ending::Unknown(Why::Memory(_))), "{:?}", outcome.ending);
}

/// What is built of two of what was there before is large where it is shown, and that is paid for.
#[test]
fn large_results_are_paid_for() {
    let mut source = "let x0 = [1 at r0] at r0 in ".to_owned();
    for number in 1..60 {
        let before = number - 1;
        source += &format!("let x{number} = [x{before}, x{before}] at r0 in ");
    }
    let (program, budget) =
        (program(&(source + "x59")), Budget { fuel: 100_000, ..Budget::default() });
    let outcome = run(&program, &[], &Setting::default(), &budget, &mut Recorder::counting());
    assert_eq!(outcome.ending, Ending::Unknown(Why::Fuel));
}

/// Expressions nested as deep as the parser admits are run.
#[test]
fn deep_programs_are_run() {
    let sum = format!("0 at r0{}", " + 1 at r0 at r0".repeat(255));
    assert_eq!(ending(&sum, ""), "255");
    let lets: String = (0..255).map(|number| format!("let x{number} = true in ")).collect();
    assert_eq!(ending(&(lets + "x0"), ""), "true");
    let regions: String = (0..250).map(|number| format!("letregion q{number} in ")).collect();
    assert_eq!(ending(&(regions + "1 at q7 + 2 at q9 at r0"), ""), "3");
}

#[test]
fn rows_of_arrays_are_lists() {
    let source = "param m : (Vec (Vec (int, r0), r0), r0); m ! 1 at r0";
    assert_eq!(ending(source, "[[1, 2], [3, 4]]"), "[3, 4]");
    assert_eq!(ending(source, "{[1], [3, 4, 5]}"), "[3, 4, 5]");
    assert_eq!(ending("param m : (Vec (Vec bool, r0), r0); m", "[]"), "{}");
    assert_eq!(
        ending("param m : (Vec (Vec bool, r0), r0); m", "[[], []]"),
        "{empty[0]bool, empty[0]bool}"
    );
    let no = program("param m : (Vec (int, r0), r0); m");
    let refused = LambdaG::fit(&no, parse_values("[true]").expect("a value"));
    assert!(refused.is_err_and(|no| no.message.contains("parameter `m`")));
}

fn region(words: u64, size: u64) -> Region<'static> {
    let mut region = Region::new(R0, size);
    (0..words).for_each(|_| {
        region.put(Stored::Int(0));
    });
    region
}

/// Theorem 4.4: both sides of a region evolve after the push, and no value of either is lost, moved or written over.
#[test]
fn merges_have_no_conflicts() {
    for (pushed, size, host, device) in (0..6_u64)
        .flat_map(|pushed| (pushed..9).map(move |size| (pushed, size)))
        .flat_map(|(pushed, size)| (0..4_u64).map(move |host| (pushed, size, host)))
        .flat_map(|(pushed, size, host)| {
            (0..=size - pushed).map(move |device| (pushed, size, host, device))
        })
    {
        let mut on_host = region(pushed, size);
        let mut on_device = on_host.pushed(Planted::NONE);
        on_host.size += host;
        let by_host: Vec<u64> = (0..host).map(|_| on_host.put(Stored::Int(1))).collect();
        let by_device: Vec<u64> = (0..device).map(|_| on_device.put(Stored::Int(2))).collect();
        assert!(by_host.iter().all(|at| on_device.get(*at).is_none()));
        on_host.merge(on_device, Planted::NONE);
        let of = |at: &u64| match on_host.get(*at) {
            Some(Stored::Int(k)) => *k,
            other => panic!("{other:?} at {at}"),
        };
        assert!((0..pushed).all(|at| of(&at) == 0));
        assert!(by_host.iter().all(|at| of(at) == 1));
        assert!(by_device.iter().all(|at| of(at) == 2));
        assert_eq!(on_host.live, pushed + host + device);
        assert!(on_host.well_formed().is_ok());
    }
}

/// Without words that are reserved, as fig. 6 and def. 4.3 are printed, both sides put a value at one place, and a merge
/// loses one of them.
#[test]
fn merges_without_reserved_words_have_conflicts() {
    let (mut on_host, mut on_device) = (region(2, 8), region(2, 8));
    let places = [on_host.put(Stored::Int(1)), on_device.put(Stored::Int(2))];
    assert_eq!(places, [2, 2]);
    assert!(on_host.well_formed().is_ok());
    on_host.take(on_device.made());
    assert!(on_host.well_formed().is_err());
    assert!(matches!(on_host.get(2), Some(Stored::Int(2))));
}

/// Behind an `on` the rest of the region is free again; in a branch only behind the outermost join, so that later branches
/// do not write where the device did (L63).
#[test]
fn what_is_reserved_is_given_back() {
    let grows = |source: &str| {
        let (program, mut recorder) = (program(source), Recorder::counting());
        let setting =
            Setting { machine: Machine { block: 8, ..Machine::default() }, ..Setting::default() };
        let outcome = run(&program, &[], &setting, &Budget::default(), &mut recorder);
        assert!(matches!(outcome.ending, Ending::Value(_)), "{:?}", outcome.ending);
        let fired = recorder.coverage().lines().find(|(rule, ..)| rule.name == "E-EXPANDW");
        fired.map_or(0, |(_, fired, _)| fired)
    };
    let body = |inner: &str| format!("letregion q of 8 in letregion s of 100 in {inner}");
    assert_eq!(grows(&body("let a = on 1 at q at q in let b = 2 at q in true")), 0);
    assert_eq!(grows(&body("let p = (on 1 at q at q) || 2 at q at s in true")), 1);
    // Behind the join the rest is free again.
    assert_eq!(grows(&body("let p = (on 1 at q at q) || true at s in let b = 2 at q in true")), 0);
    // Two in branches: the second one is given words of its own.
    assert_eq!(grows(&body("let p = (on 1 at q at q) || (on 2 at q at q) at s in true")), 0);
}

fn lines(node: &Derivation, depth: usize, to: &mut String) {
    let failed = node.failed.map_or(String::new(), |premise| format!(" fails: {premise}"));
    let (rule, subject, conclusion) = (node.rule, &node.subject, &node.conclusion);
    let line = format!("{}{rule} {subject} => {conclusion}{failed}", "  ".repeat(depth));
    *to += line.trim_end();
    *to += "\n";
    node.premises.iter().for_each(|premise| lines(premise, depth + 1, to));
}

fn derivation(source: &str, expected: Expect) {
    let program = program(source);
    let mut recorder = Recorder::tree(1000);
    let _ = run(&program, &[], &Setting::default(), &Budget::default(), &mut recorder);
    let mut text = String::new();
    recorder.finish().1.iter().for_each(|root| lines(root, 0, &mut text));
    expected.assert_eq(&text);
}

#[test]
fn derivations_are_recorded() {
    derivation(
        "letregion q in (fn (x : (int, r0)) ! {q} => x * x at r0 at q) (2 at r0)",
        expect![[r#"
            E-LETREGION letregion q in (fn (x : (int, r0)) ! {q} => x * x at r0 at q) 2 at r0 => (r0, 1)
              E-APP (fn (x : (int, r0)) ! {q} => x * x at r0 at q) 2 at r0 => (r0, 1)
                E-FN fn (x : (int, r0)) ! {q} => x * x at r0 at q => (r1, 0)
                  E-NOEXPANDW (r1, 0) =>
                E-READ (r1, 0) =>
                E-INT 2 at r0 => (r0, 0)
                  E-NOEXPANDW (r0, 0) =>
                E-MULT x * x at r0 => (r0, 1)
                  E-VAR x => (r0, 0)
                  E-READ (r0, 0) =>
                  E-VAR x => (r0, 0)
                  E-READ (r0, 0) =>
                  E-NOEXPANDW (r0, 1) =>
        "#]],
    );
    derivation(
        "letregion q of 1 in let x = on fst ((1 at q, 2 at q) at q) at q in true",
        expect![[r#"
            E-LETREGION letregion q of 1 in let x = on fst (1 at q, 2 at q) at q at q in true =>
              E-LET let x = on fst (1 at q, 2 at q) at q at q in true =>
                E-ON on fst (1 at q, 2 at q) at q at q =>
                  E-PUSH on fst (1 at q, 2 at q) at q at q => r1
                  E-FST fst (1 at q, 2 at q) at q =>
                    E-PAIR (1 at q, 2 at q) at q =>
                      E-INT 1 at q => (r1, 0)
                        E-NBANKCONFW (r1, 0) =>
                      E-INT 2 at q =>
                        E-NOEXPANDWE (r1, 0) =>
        "#]],
    );
}

/// The rolls name each rule once, and no rule of the room is without a figure.
#[test]
fn the_roll_has_no_doubles() {
    let mut names: Vec<&str> = Rule::ALL.iter().map(|rule| rule.info().name).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
}
