//! The programs of the corpus do what their headers say, on machines of all sizes; and who is told where
//! several are stuck.

use super::{Setting, Signature, run_as, watched};
use crate::fcl::doubles::{DOUBLES, Format};
use crate::fcl::location::{LOCATION, Machine};
use crate::fcl::rules::Rule;
use crate::fcl::syntax::Program;
use crate::fcl::{laws, parse, print, types};
use crate::kit::coverage::Coverage;
use crate::kit::derivation::{Derivation, Recorder};
use crate::kit::faults::Planted;
use crate::kit::header::{self, Case};
use crate::kit::outcome::{Budget, Ending, Outcome, Why};
use crate::kit::schedule::Order;
use crate::kit::value::{agree_all, parse_values};
use std::fs;
use std::path::Path;

fn signature(program: &Program) -> Signature {
    let typed = types::infer(program, &mut Recorder::counting());
    typed.unwrap_or_else(|why| panic!("{why:?}\n{}", print::program(program))).into()
}

fn program(source: &str) -> Program {
    parse::program(source).unwrap_or_else(|error| panic!("{error:?}\n{source}"))
}

fn setting(machine: &str, doubles: &str) -> Setting {
    Setting {
        machine: Machine::parse(machine).expect("a machine"),
        doubles: Format::named(doubles).expect("a format"),
        order: Order::InOrder,
        budget: Budget::default(),
    }
}

/// Machines on which a program ends alike, unless it asks how large its groups are.
const MACHINES: [&str; 5] = ["32x2x4", "1x1x1", "3x2x2", "1x3x1", "2x1x5"];

/// Orders of chunks in which a program ends alike.
const ORDERS: [Order; 4] =
    [Order::InOrder, Order::Reversed, Order::Shuffled(1), Order::Shuffled(2)];

/// A run on each machine in each order.
fn settings(machines: &[&str], doubles: &str) -> Vec<Setting> {
    let in_orders =
        |machine: &&str| ORDERS.map(|order| Setting { order, ..setting(machine, doubles) });
    machines.iter().flat_map(in_orders).collect()
}

/// The folders of the corpus.
fn corpus(check: impl Fn(&str, &str)) {
    for folder in ["pass", "stuck"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/fcl").join(folder);
        for file in fs::read_dir(&path).expect("the folder is there") {
            let path = file.expect("it is listed").path();
            let source = fs::read_to_string(&path).expect("a program is text");
            check(&path.file_name().expect("it has a name").to_string_lossy(), &source);
        }
    }
}

fn as_said(case: &Case, outcome: &Outcome) -> bool {
    match (&outcome.ending, &case.result, &case.stuck) {
        (Ending::Value(found), Some(wanted), None) => {
            agree_all(wanted, found, [&[], &outcome.tolerances]).is_ok()
        }
        (Ending::Stuck(stuck), None, Some(said)) => {
            let premise = stuck.site.cause.name();
            stuck.rule == said.rule && said.premise.as_deref().is_none_or(|said| said == premise)
        }
        _ => false,
    }
}

#[test]
fn the_corpus_does_what_it_says_wherever_it_runs() {
    let mut wrong = Vec::new();
    let coverage = std::cell::RefCell::new(Coverage::new::<Rule>());
    let wrongs = std::cell::RefCell::new(&mut wrong);
    corpus(|name, source| {
        let options = [LOCATION, DOUBLES];
        let header = header::parse(source, &options).unwrap_or_else(|no| panic!("{name}: {no:?}"));
        if let Err(no) = types::infer(&program(source), &mut Recorder::counting()) {
            wrongs.borrow_mut().push(format!("{name}: {} {:?}", no.message, no.rule));
            return;
        }
        let settings = header.settings(&options);
        let program = program(source);
        let signature = signature(&program);
        let said = settings.get(&LOCATION);
        let machines = if source.contains("location:") { &[said][..] } else { &MACHINES };
        let all = self::settings(machines, settings.get(&DOUBLES));
        for (case, setting) in
            header.cases.iter().flat_map(|case| all.iter().map(move |setting| (case, setting)))
        {
            let mut recorder = Recorder::counting();
            let outcome = run_as(&program, &signature, &case.input, setting, &mut recorder);
            coverage.borrow_mut().add(recorder.coverage());
            if !as_said(case, &outcome) {
                let ending = format!("{:?} {:?}", outcome.ending, outcome.tolerances);
                let how = (setting.machine, setting.order);
                wrongs.borrow_mut().push(format!("{name}:{} by {how:?}: {ending}", case.line));
            }
        }
        for rule in &header.fires {
            let coverage = coverage.borrow();
            let mut lines = coverage.lines().filter(|(info, ..)| info.name == rule);
            assert!(lines.any(|(_, fired, _)| fired > 0), "{name}: {rule} does not fire");
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let dynamic = |rule: &&str| ["E-", "LOC-", "V-"].iter().any(|start| rule.starts_with(start));
    let missing = coverage.into_inner().missing();
    let missing: Vec<&str> = missing.iter().map(|rule| &**rule).filter(dynamic).collect();
    assert!(missing.is_empty(), "no program shows {missing:?}");
}

/// How a program whose `main` has a `sig` ends on the machines and in the orders: where it is stuck with the source from there on.
fn ending(source: &str, input: &str) -> String {
    let input = parse_values(input).expect("values");
    let program = program(source);
    let signature = signature(&program);
    let ending = |setting: &Setting| {
        let outcome = run_as(&program, &signature, &input, setting, &mut Recorder::counting());
        match outcome.ending {
            Ending::Value(values) => values[0].to_string(),
            Ending::Stuck(stuck) => {
                let rest = source.get(stuck.site.span.start as usize..).unwrap_or("the prelude");
                let rest = rest.trim_start_matches('(');
                let (rule, cause) = (&stuck.rule, stuck.site.cause.name());
                format!("{rule} {cause} {:?} in {:?} at {rest}", stuck.operands, stuck.thread)
            }
            other => format!("{other:?}"),
        }
    };
    let mut endings: Vec<String> = settings(&MACHINES, "f64").iter().map(ending).collect();
    endings.dedup();
    assert_eq!(endings.len(), 1, "{endings:?}");
    endings.remove(0)
}

#[track_caller]
fn told(main: &str, wanted: &str) {
    let found = ending(&format!("sig main : [int]<grid>\nval main = {main}"), "");
    assert!(found.starts_with(wanted), "{found}");
}

#[test]
fn the_lowest_stuck_element_is_told() {
    told(
        "push <grid> (generate 9 (fn i => 6 / (i - 5) / (i - 3)))",
        "E-OP division [-3, 0] in [4] at 6 / (i - 5) / (i - 3)",
    );
    told("push <grid> (map (divi 1) [1, 0])", "E-OP division [1, 0] in [2] at map (divi 1) [1, 0]");
    told("push <grid> [index [1, 2] 2, 1 div 0]", "E-INDEX inside [2, 2] in [1] at index [1, 2] 2");
    told("let n = 1 div 0 in push <grid> [n]", "E-OP division [1, 0] in [] at 1 div 0");
}

#[test]
fn elements_of_threads_are_in_the_path() {
    told(
        "push <grid> (generate 3 (fn i => index (force (push <thread> [1, 2 / (i - 1)])) 0))",
        "E-OP division [2, 0] in [2, 2] at 2 / (i - 1)",
    );
    let inside = "force (push <thread> [1, index (force (push <thread> [i, i div 0])) 0])";
    told(
        &format!("push <grid> (generate 3 (fn i => index ({inside}) 0))"),
        "E-OP division [0, 0] in [1, 2, 2] at i div 0",
    );
    let thread = "sig main : [int]<thread>\nval main = push <thread> [1, 1 / 0, 2 / 0]";
    assert_eq!(ending(thread, ""), "E-OP division [1, 0] in [2] at 1 / 0, 2 / 0]");
}

#[test]
fn chunks_are_in_the_path() {
    let chunks = |chunk: &str| format!("concat 2 (generate 3 (fn i => {chunk}))");
    told(
        &chunks("push <block> (generate 2 (fn j => 1 / (2 - i) / (1 - j)))"),
        "E-OP division [0, 0] in [1, 2] at 1 / (2 - i) / (1 - j)",
    );
    told(
        &chunks("let k = 1 / (1 - i) in push <block> [k, 1 div k]"),
        "E-OP division [1, 0] in [2] at 1 / (1 - i)",
    );
    told(&chunks("push <block> (iota (2 - i))"), "E-FORCE-CONCAT length [1, 2] in [2] at concat 2");
    told(
        "concat 2 [concat 1 [push <warp> [1], push <warp> [1 div 0]], push <block> [1]]",
        "E-OP division [1, 0] in [1, 2, 1] at 1 div 0",
    );
    told(
        "concat 2 [concat 1 [push <warp> [1]], push <block> [1 div 0]]",
        "E-FORCE-CONCAT length [1, 2] in [1] at concat 2",
    );
}

#[test]
fn orders_are_told_by_their_elements() {
    let sent = |order: &str| {
        format!("interleave 2 (fn (i, j) => {order}) (generate 2 (fn i => push <block> [i, i]))")
    };
    told(&sent("i * 2 - j"), "E-FORCE-INTERLEAVE inside [-1, 4] in [1, 2] at interleave");
    told(&sent("i * 2 + j + i"), "E-FORCE-INTERLEAVE inside [4, 4] in [2, 2] at interleave");
    told(&sent("j"), "E-FORCE-INTERLEAVE taken [0] in [2, 1] at interleave");
    told(&sent("i * 2 + j / (1 - i)"), "E-OP division [0, 0] in [2, 1] at j / (1 - i)");
    // The element comes before its target, and a lower element's target before both.
    let both = "interleave 2 (fn (i, j) => j - 1 div j) [push <block> [1, 1 div 0]]";
    told(both, "E-OP division [1, 0] in [1, 1] at 1 div j");
    // A chunk that is delayed is forced before any target of it is asked for.
    let delayed = "interleave 2 (fn (i, j) => 1 div 0) [concat 2 [push <warp> [1, 2 div 0]]]";
    told(delayed, "E-OP division [2, 0] in [1, 1, 2] at 2 div 0");
}

#[test]
fn a_level_is_told_by_the_outermost_force() {
    told(
        "let f = fn k => concat 1 [push <warp> [1 div k]] in push <grid> (force (f 0))",
        "E-FORCE-CONCAT level [2, 3] in [] at force (f 0)",
    );
    told(
        "let f = fn k => concat 1 [concat 1 [push <thread> [1 div k]]] in push <grid> (force (f 0))",
        "E-FORCE-CONCAT level [2, 3] in [] at force (f 0)",
    );
    told(
        "let f = fn k => concat 1 [concat 1 [push <block> [k]]] in push <grid> [5, index (force (f 0)) 0]",
        "E-FORCE-CONCAT level [1, 0] in [2] at force (f 0)",
    );
    told(
        "let f = fn k => concat (0 - 1) [push <warp> [k]] in push <grid> (force (f 0))",
        "E-FORCE-CONCAT size [-1] in [] at concat (0 - 1) [push <warp> [k]]",
    );
    told(
        "let f = fn k => concat 1 (generate k (fn i => push <warp> [i])) in push <grid> [1, index (force (f 0)) 0]",
        "E-FORCE-CONCAT level [1, 0] in [2] at force (f 0)",
    );
    told(
        "push <grid> (while (fn x => true) (push <block>) (push <block> [1]))",
        "E-FORCE-DONE level [2, 3] in [] at while",
    );
}

#[test]
fn loops_grow_to_the_length_of_the_first_array() {
    let rounds = "while (fn x => true) (fn x => push <grid> [1, 1 div 0]) (push <grid> [1])";
    told(&format!("push <grid> ({rounds})"), "E-WHILE-STEP growth [2, 1] in [] at while");
    told(
        "push <grid> (map (fn y => index (while (fn x => true) (fn x => push <thread> [1, 2]) (push <thread> [y])) 0) [1])",
        "E-WHILE-STEP growth [2, 1] in [1] at while",
    );
}

#[test]
fn what_does_not_end_or_fit_has_no_answer() {
    let unknown = |main: &str, budget: Budget| {
        let program = program(&format!("sig main : [int]<grid>\nval main = {main}"));
        let setting = Setting { budget, ..setting("32x2x4", "f64") };
        run_as(&program, &signature(&program), &[], &setting, &mut Recorder::counting()).ending
    };
    let small = Budget { fuel: 100_000, memory: 1 << 20 };
    let red = unknown("let x = force (red <grid> addi [1]) in push <grid> x", small);
    assert_eq!(red, Ending::Unknown(Why::Fuel));
    let large = |n: i32| Ending::Unknown(Why::Memory(4 * n as u64));
    assert_eq!(unknown("push <grid> (iota 1000000)", small), large(1_000_000));
    let long =
        "push <grid> [lengthPush (concat 1000000 (map (push <block>) [iota 1, iota 1, iota 1]))]";
    assert_eq!(unknown(long, small), Ending::Value(parse_values("[3000000]").expect("values")));
    let longer =
        "push <grid> [lengthPush (concat 1000000 (map (push <block>) (generate 3000 iota)))]";
    assert_eq!(unknown(longer, small), Ending::Unknown(Why::Memory(4 * 3_000_000_000)));
    let twice =
        "let t = fn f x => f (f x) in let m = t t t t t (map (addi 1)) in push <grid> (m [1])";
    assert!(matches!(unknown(twice, small), Ending::Unknown(_)));
    let inf = "push <grid> [d2i (divd 1.0 (subd 1.0 1.0))]";
    assert_eq!(unknown(inf, small), Ending::Unknown(Why::NotModelled("open float".to_owned())));
    let near = "push <grid> [b2i (ltd (muld (divd 1.0 3.0) 3.0) 1.0)]";
    assert_eq!(unknown(near, small), Ending::Unknown(Why::NotModelled("open float".to_owned())));
}

/// A derivation, indented.
fn lines(nodes: &[Derivation], depth: usize, to: &mut String) {
    for node in nodes {
        let Derivation { rule, subject, conclusion, .. } = node;
        let failed = node.failed.map_or(String::new(), |premise| format!(" [{premise} fails]"));
        let conclusion = if conclusion.is_empty() { "" } else { &format!(" ↪ {conclusion}") };
        to.push_str(&format!("{:1$}{rule} {subject}{conclusion}{failed}\n", "", 2 * depth));
        lines(&node.premises, depth + 1, to);
    }
}

#[test]
fn a_derivation_says_who_did_what_in_which_round() {
    let program = program("sig main : [int]<warp>\nval main = push <warp> [1 + 2 * 3, 4, 5 div 0]");
    let mut recorder = Recorder::tree(100);
    let setting = setting("2x1x1", "f64");
    run_as(&program, &signature(&program), &[], &setting, &mut recorder);
    let mut text = String::new();
    lines(&recorder.finish().1, 0, &mut text);
    let wanted = "\
E-PUSH warp 0: push <warp> [e₁, …, e_3] ↪ [e₁, …, e_3]<warp>
V-PUSH warp 0: [e₁, …, e_3]<warp> ↪ [int]<warp>
E-FORCE-GROUP warp 0: force […]<warp>, elements 1 to 2, round 1
  E-OP thread 0, element 1: muli 2 3 ↪ 6
E-FORCE-GROUP warp 0: force […]<warp>, elements 1 to 2, round 2
  E-OP thread 0, element 1: addi 1 6 ↪ 7
E-FORCE-GROUP warp 0: force […]<warp>, elements 3 to 3, round 1
  E-OP thread 0, element 3: divi 5 0 [division fails]
";
    assert_eq!(text, wanted);
}

/// Every case of the corpus, on a small machine.
fn cases(check: impl Fn(&Program, &Signature, &Case, &Setting) -> Result<(), String>) {
    corpus(|name, source| {
        let options = [LOCATION, DOUBLES];
        let header = header::parse(source, &options).expect("a header");
        let program = program(source);
        let signature = signature(&program);
        let setting = setting("2x1x2", header.settings(&options).get(&DOUBLES));
        for case in &header.cases {
            let checked = check(&program, &signature, case, &setting);
            checked.unwrap_or_else(|why| panic!("{name}:{}: {why}", case.line));
        }
    });
}

#[test]
fn terms_keep_their_types() {
    let seen = std::cell::Cell::new(0);
    cases(|program, signature, case, setting| {
        let looked =
            laws::preservation(program, signature, &case.input, setting, 1, Planted::NONE)?;
        seen.set(seen.get() + looked);
        Ok(())
    });
    assert!(seen.get() > 1000, "{}", seen.get());
}

/// An array of many elements is one value, but as many expressions of a term.
#[test]
fn terms_that_are_too_large_are_not_shown() {
    let source = "val main = let xs = generate 50000 (fn i => i) in push <grid> [index xs 5]";
    let program = program(source);
    let (mut shown, mut longest) = (0, 0);
    let mut look = |term: &Program| {
        shown += 1;
        longest = longest.max(print::program(term).len());
    };
    let (signature, setting) = (signature(&program), setting("2x2x2", "f64"));
    watched(&program, &signature, &[], &setting, 1, &mut look);
    assert!(shown >= 2, "{shown}");
    assert!(longest < 1000, "{longest}");
}

#[test]
fn endings_do_not_depend_on_the_machine() {
    let asking = std::cell::Cell::new(0);
    cases(|program, signature, case, setting| {
        asking.set(asking.get() + u32::from(laws::asks_for_sizes(program)));
        for machine in MACHINES {
            let other = Machine::parse(machine).expect("a machine");
            let same = laws::same_everywhere(program, signature, &case.input, setting, other);
            same.map_err(|outcomes| format!("{machine}: {outcomes:?}"))?;
        }
        Ok(())
    });
    assert!((1..20).contains(&asking.get()), "{}", asking.get());
}
