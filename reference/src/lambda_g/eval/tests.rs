//! Runs: the programs of the corpus, what no program with a type comes to, limits, regions and cost graphs.

use super::{
    Base, MAX_BRANCHES, MAX_DEPTH, Priced, Run, Setting, Wanted, run, run_with_graph, with_stack,
};
use crate::cost::graph::{Graph, Greedy};
use crate::cost::{Linear, Machine};
use crate::kit::coverage::Coverage;
use crate::kit::derivation::{Derivation, Recorder};
use crate::kit::header::Case;
use crate::kit::language::Language;
use crate::kit::outcome::{Budget, Ending, Outcome, Stuck, Value, Why};
use crate::kit::rules::Roll;
use crate::kit::value::parse_values;
use crate::lambda_g::rules::Rule;
use crate::lambda_g::syntax::Program;
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
        let typed = Typed { ty: Ty::Bool, pushes: FxHashMap::default() };
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
            laws(&graph);
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
        assert_eq!((stuck.rule.as_str(), stuck.site.cause.name()), (rule, "region-gone"));
        coverage.add(recorder.coverage());
    }
    let missing = coverage.missing();
    let missing: Vec<&String> = missing.iter().filter(|name| name.starts_with("E-")).collect();
    assert!(missing.is_empty(), "no program shows {missing:?}");
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
        E-INDEX [] at `[true] at r0 ! 1 at r0`: offset 1 of a block of 1 elements
        E-ARITH [5] at `7 at r0 / (i - 4 at r0 at r0) at r0`: 7 is divided by zero
        E-INDEX [4] at `[i] at r0 ! (i / 3 at r0 at r0)`: offset 1 of a block of 1 elements
        E-NOEXPANDWE [3] at `iota (if i < 5 at r0 then 200 at r0 else 1000 at r0) at r0`: a value of 1 words goes into a region with 0 words left, which cannot grow on the device
        E-NOEXPANDWE [] at `[1 at q, 2 at q] at q`: a value of 2 words goes into a region with 0 words left, which cannot grow on the device
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
    let mut region = Region::new(size, 1);
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
        let mut on_device = on_host.pushed();
        on_host.size += host;
        let by_host: Vec<u64> = (0..host).map(|_| on_host.put(Stored::Int(1))).collect();
        let by_device: Vec<u64> = (0..device).map(|_| on_device.put(Stored::Int(2))).collect();
        assert!(by_host.iter().all(|at| !on_device.values.contains_key(at)));
        on_host.merge(on_device);
        let of = |at: &u64| match on_host.values.get(at) {
            Some(Stored::Int(k)) => *k,
            other => panic!("{other:?} at {at}"),
        };
        assert!((0..pushed).all(|at| of(&at) == 0));
        assert!(by_host.iter().all(|at| of(at) == 1));
        assert!(by_device.iter().all(|at| of(at) == 2));
        assert_eq!(on_host.live, pushed + host + device);
        assert_eq!(on_host.values.len() as u64, on_host.live);
    }
}

/// Without words that are reserved, as fig. 6 and def. 4.3 are printed, both sides put a value at one place, and a merge
/// loses one of them.
#[test]
fn merges_without_reserved_words_have_conflicts() {
    let (mut on_host, mut on_device) = (region(2, 8), region(2, 8));
    let places = [on_host.put(Stored::Int(1)), on_device.put(Stored::Int(2))];
    assert_eq!(places, [2, 2]);
    let values = on_host.values.len() + on_device.values.len() - 2;
    on_host.values.extend(on_device.values);
    assert!(on_host.values.len() < values);
}

/// Behind an `on` the rest of the region is free again; in a branch only behind the outermost join, so that later branches
/// do not write where the device did (L63).
#[test]
fn what_is_reserved_is_given_back() {
    let grows = |source: &str| {
        let (program, mut recorder) = (program(source), Recorder::counting());
        let setting = Setting { base: Base(8), ..Setting::default() };
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

/// The machine of section 7: accesses and units of the host cost 1, an access of the device `l`, a transfer 1.
fn machine() -> Machine {
    let one = Linear { base: 0, words_per_unit: 1 << 31 };
    Machine { latency: 400, to_device: one, to_host: one, ..Machine::default() }
}

fn graph(source: &str, text: &str) -> Graph {
    priced(source, text, Wanted::Time).graph
}

fn priced(source: &str, text: &str, wanted: Wanted) -> Priced {
    let program = program(source);
    let input = input(&program, text);
    let setting = Setting { machine: machine(), ..Setting::default() };
    let mut recorder = Recorder::counting();
    let budget = Budget::default();
    let priced = run_with_graph(&program, &input, &setting, &budget, &mut recorder, wanted);
    assert!(matches!(priced.outcome.ending, Ending::Value(_)), "{:?}", priced.outcome.ending);
    priced
}

fn shown(graph: &Graph) -> String {
    match graph {
        Graph::Chain { edges: 0, .. } => "u".to_owned(),
        Graph::Chain { edges, weight } => format!("u {edges}×{weight}"),
        Graph::Serial(parts) => {
            let parts = parts.iter().enumerate().map(|(number, (weight, part))| {
                if number == 0 { shown(part) } else { format!("-{weight}- {}", shown(part)) }
            });
            parts.collect::<Vec<_>>().join(" ")
        }
        Graph::Parallel(parts) => {
            let parts: Vec<String> = parts.iter().map(shown).collect();
            format!("({})", parts.join(" | "))
        }
        Graph::Words { now, behind, of } => format!("{now:+}{behind:+}:{}", shown(of)),
    }
}

const SECTION_7: &str = "param arrs : (Vec ((int, r0) * (int, r0), r0), r0);
    parmap (fn (p : ((int, r0) * (int, r0), r0)) ! {r0} => fst p * snd p at r0 at r0) arrs at r0";

fn pairs(n: usize) -> String {
    let pairs: Vec<String> = (0..n).map(|k| format!("({k}, 2)")).collect();
    format!("{{{}}}", pairs.join(", "))
}

/// Fig. 11: the read of the vector, `n` threads of six edges, the merge, the write of the result.
#[test]
fn the_graph_of_section_7_is_figure_11() {
    assert_eq!(shown(&graph(SECTION_7, &pairs(2))), "u -1- (u 6×1 | u 6×1) -1- u 1×1");
    assert_eq!(shown(&graph(SECTION_7, "[]")), "u -1- () -1- u 1×1");
}

/// 7.1.1: `(4(n - 1) + 6n) / 2` of the branches, beside the read of the vector, the merge and the write of the result:
/// depth-first for even `n`, breadth-first for every `n` from 2 on.
#[test]
fn two_processors_take_what_section_7_says() {
    for n in 1..=40_u64 {
        let graph = graph(SECTION_7, &pairs(n as usize));
        let [depth, breadth] = [Greedy::DepthFirst, Greedy::BreadthFirst]
            .map(|greedy| graph.schedule(2, greedy).expect("it is small").time - 3);
        let formula = 5 * n - 2;
        match n {
            1 => assert_eq!((formula, depth, breadth), (3, 6, 6)),
            _ if n % 2 == 0 => assert_eq!([depth, breadth], [formula; 2]),
            _ => assert_eq!([depth, breadth], [formula + 3, formula]),
        }
    }
}

/// What holds of every graph and schedule (L72): weighted depth ≤ time ≤ work; steps ≤ vertices / P + the longest path in
/// vertices; time ≤ heaviest edge × steps; live at the end ≤ space ≤ made.
fn laws(graph: &Graph) {
    let (work, depth, vertices) = (graph.work(), graph.depth(), graph.vertices());
    let (made, left) = graph.words();
    for processors in [1, 2, 3, 1000] {
        for greedy in [Greedy::DepthFirst, Greedy::BreadthFirst] {
            let scheduled = graph.schedule(processors, greedy).expect("it is small");
            assert!(depth <= scheduled.time && scheduled.time <= work, "{scheduled:?}");
            assert!(scheduled.steps <= vertices / processors + graph.longest(), "{scheduled:?}");
            assert!(scheduled.time <= heaviest(graph) * scheduled.steps, "{scheduled:?}");
            let space = graph.space(processors, greedy).expect("it is small");
            assert!(left <= space as i64 && space <= made, "{left} {space} {made}");
        }
    }
}

fn heaviest(graph: &Graph) -> u64 {
    match graph {
        Graph::Chain { edges: 0, .. } => 0,
        Graph::Chain { weight, .. } => *weight,
        Graph::Serial(parts) => {
            let edges = parts.iter().skip(1).map(|(weight, _)| *weight);
            edges.chain(parts.iter().map(|(_, part)| heaviest(part))).max().unwrap_or(0)
        }
        Graph::Parallel(parts) => parts.iter().map(heaviest).max().unwrap_or(0).max(1),
        Graph::Words { of, .. } => heaviest(of),
    }
}

/// 7.1.1 and 7.1.2: on the host 3 words for each element are made, 2 of its closure and 1 of its result; with the device
/// 6, since both worlds hold them until the copies go. The vector itself is not counted there, nor is what was there before.
#[test]
fn space_is_what_section_7_says() {
    let kernel = SECTION_7.replace("parmap", "on parmap") + " at r0";
    for n in [1, 2, 7, 64_u64] {
        let space = |source: &str| {
            let Priced { graph, given, .. } = priced(source, &pairs(n as usize), Wanted::Space);
            assert_eq!(given, 5 * n);
            let of = |greedy| graph.space(2, greedy).expect("it is small");
            assert_eq!(of(Greedy::DepthFirst), of(Greedy::BreadthFirst));
            of(Greedy::DepthFirst)
        };
        assert_eq!(space(SECTION_7) - n, 3 * n);
        let copies = 5 * n;
        assert_eq!(space(&kernel) - copies - 2 * n, 6 * n);
    }
}

/// What lies in a region is live until its end, and branches that run at once are live at once.
#[test]
fn space_depends_on_the_schedule() {
    let source = "(letregion q in let v = iota (9 at q) at q in true) ||
        (letregion s in let w = iota (9 at s) at s in true) at r0";
    let graph = priced(source, "", Wanted::Space).graph;
    let space = |processors, greedy| graph.space(processors, greedy).expect("it is small");
    // The number of elements, the elements, the vector; the pair at the end.
    let region = 1 + 9 + 9;
    assert_eq!(space(1, Greedy::DepthFirst), region);
    assert_eq!(space(2, Greedy::DepthFirst), 2 * region);
    assert_eq!(graph.words(), (2 * region + 2, 2));
}

/// Readings of section 6 that are taken literally: each is absurd (L31, L34, and the term `l * k` of 7.1.2).
#[test]
fn literal_readings_are_absurd() {
    let l = machine().latency;
    // L31: an access in conflict costs 2, so in global memory it is cheaper than one that is not.
    assert!(2 < l);
    // L34: `max(0, (n - k) * 2)` is taken from a step, where `k` of `n` threads access one address. One thread alone that
    // accesses its own address takes negative time in a group of 256, a broadcast to all of them is not corrected.
    let corrected = |n: i64, k: i64| l as i64 - ((n - k) * 2).max(0);
    assert!(corrected(256, 1) < 0);
    assert_eq!(corrected(256, 256), l as i64);
    // 7.1.2: one thread writes the results of each group, one group after the other: group memory is better for at most
    // four groups, however many run at once.
    let [global, local] = [|l: u64, _: u64| 5 * l + 1, |l: u64, k: u64| 6 + l * k];
    let better: Vec<u64> = (1..100).filter(|k| local(l, *k) < global(l, *k)).collect();
    assert_eq!(better, [1, 2, 3, 4]);
}

/// Branches in branches without end are stopped too, so that a graph is not too deep to be walked.
#[test]
fn branches_in_one_another_are_limited() {
    let source = "param n : (int, r0); let f = fix f : ((int, r0) -> {r0} bool, r0) .
        fn (i : (int, r0)) ! {r0} => fst (f (i - 1 at r0 at r0) || true at r0) at r0 in f n";
    let program = program(source);
    let (input, setting) = (input(&program, "1"), Setting::default());
    let mut to = Recorder::counting();
    let budget = Budget::default();
    let priced = run_with_graph(&program, &input, &setting, &budget, &mut to, Wanted::Space);
    let why = format!("more than {MAX_BRANCHES} `||` and `parmap` in one another");
    assert_eq!(priced.outcome.ending, Ending::Unknown(Why::NotModelled(why)));
}

/// The weight of the one edge that an `on` is.
fn on_device(source: &str, text: &str) -> u64 {
    match graph(source, text) {
        Graph::Chain { edges: 1, weight } => weight,
        other => panic!("{}", shown(&other)),
    }
}

/// 7.1.2: each thread takes `5l + 1`, and that once for each round of as many threads as the device runs (L25); beside
/// it the transfers, the read of the vector, the merge and the write of the result. Literally the rounds are `(n / H) / k`, which does
/// not depend on `n`.
#[test]
fn threads_of_the_device_take_what_section_7_says() {
    let kernel = SECTION_7.replace("parmap", "on parmap") + " at r0";
    let l = machine().latency;
    let [group, at_once] = [machine().width * machine().warps, machine().threads];
    for n in [1, 32, 1000, at_once, at_once + 1, 2 * at_once + 5] {
        let rounds = n.div_ceil(at_once).max(1);
        let time = on_device(&kernel, &pairs(n as usize));
        assert_eq!(time, 1 + (5 * l + 1) * rounds + (l + 1 + l) + 1, "{n}");
        let literally = |n: f64| ((n / at_once as f64) / (n / group as f64)).ceil();
        assert_eq!(literally(n as f64), 1.0);
    }
}

#[test]
fn graphs_are_those_of_the_rules() {
    let of = |source: &str| format!("{source}\n    {}\n", shown(&graph(source, "")));
    let sources = [
        "true",
        "1 at r0",
        "let x = 1 at r0 in x",
        "1 at r0 * 2 at r0 at r0",
        "let x = 1 at r0 in x * x at r0",
        "let x = 1 at r0 in x < x",
        "if true then true else false",
        "let x = true in if x then x else x",
        "(fn (x : bool) ! {} => x at r0) true",
        "let x = true in (fn (y : bool) ! {} => y at r0) x",
        "let f = fn (x : bool) ! {r0} => (x, x) at r0 at r0 in true",
        "(1 at r0, true) at r0",
        "let p = (true, true) at r0 in fst p",
        "(true || false at r0)",
        "let x = true in (x || x at r0)",
        "letregion q in true",
        "let x = true in letregion q in x",
        "(rfn q >= {} ! {q} => 1 at q at r0) [r0]",
        "iota (2 at r0) at r0",
        "[true, false] at r0 ! 1 at r0",
        "length ([true] at r0) at r0",
        "parmap (fn (x : bool) ! {} => x at r0) [true, false] at r0",
        "fix f : (bool -> {} bool, r0) . fn (x : bool) ! {} => x at r0",
    ];
    expect![[r#"
        true
            u
        1 at r0
            u 1×1
        let x = 1 at r0 in x
            u 1×1
        1 at r0 * 2 at r0 at r0
            u 4×1
        let x = 1 at r0 in x * x at r0
            u 2×1
        let x = 1 at r0 in x < x
            u 1×1
        if true then true else false
            u 1×1
        let x = true in if x then x else x
            u
        (fn (x : bool) ! {} => x at r0) true
            u 2×1
        let x = true in (fn (y : bool) ! {} => y at r0) x
            u 2×1
        let f = fn (x : bool) ! {r0} => (x, x) at r0 at r0 in true
            u 1×1
        (1 at r0, true) at r0
            u 3×1
        let p = (true, true) at r0 in fst p
            u 3×1
        (true || false at r0)
            (u | u) -1- u 1×1
        let x = true in (x || x at r0)
            (u | u) -1- u 1×1
        letregion q in true
            u 3×1
        let x = true in letregion q in x
            u 2×1
        (rfn q >= {} ! {q} => 1 at q at r0) [r0]
            u 3×1
        iota (2 at r0) at r0
            u 4×1
        [true, false] at r0 ! 1 at r0
            u 5×1
        length ([true] at r0) at r0
            u 3×1
        parmap (fn (x : bool) ! {} => x at r0) [true, false] at r0
            (u 2×1 | u 2×1) -1- u 1×1
        fix f : (bool -> {} bool, r0) . fn (x : bool) ! {} => x at r0
            u 1×1
    "#]]
    .assert_eq(&sources.map(of).concat());
}

/// Threads of nested `parmap`s that do nothing else run side by side: before, all pairs, behind (L68). Otherwise the
/// inner one runs one after the other.
#[test]
fn nested_threads_are_laid_flat() {
    let l = machine().latency;
    let nested = |body: &str| {
        format!(
            "on parmap (fn (i : (int, r0)) ! {{r0}} => {body} at r0) [0 at r0, 0 at r0, 0 at r0] at r0 at r0"
        )
    };
    let inner = "parmap (fn (j : (int, r0)) ! {r0} => i at r0) [0 at r0, 1 at r0] at r0";
    // Before: the closure is written and read, and the elements for it. A pair: the same.
    let before = 3 * l;
    let pair = 3 * l;
    // Behind: the merge and the write of the row, then those of all rows, which are brought back.
    let behind = 1 + l;
    let flat = on_device(&nested(inner), "");
    assert_eq!(flat, before + pair + 2 * behind + 1);
    let in_turn = on_device(&nested(&format!("let x = {inner} in x")), "");
    assert!(in_turn > flat, "{in_turn} {flat}");
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
