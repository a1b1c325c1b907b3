//! Runs: launches and inputs that do not fit, budgets, what is told of an item that is stuck, derivations.

use crate::kit::derivation::Recorder;
use crate::kit::language::Settings;
use crate::kit::outcome::{Budget, Ending, Outcome, Why};
use crate::kit::schedule::Order;
use crate::kit::value::parse_values;
use crate::minias::infer;
use crate::minias::launch::{LAUNCH, Launch};
use crate::minias::rules::Rule;
use crate::minias::types::Mode;
use crate::minias::{eval, parse};
use expect_test::expect;

fn run(source: &str, launch: &str, input: &str, to: &mut Recorder<Rule>) -> Outcome {
    let budget = Budget { fuel: 100_000, memory: 1 << 22 };
    run_within(source, launch, input, &budget, to)
}

fn run_within(
    source: &str,
    launch: &str,
    input: &str,
    budget: &Budget,
    to: &mut Recorder<Rule>,
) -> Outcome {
    let program = parse::program(source).expect("it is read");
    infer::infer(&program, Mode::Infer, &mut Recorder::counting()).expect("it has types");
    let launch = Launch::read(launch).expect("it is a launch");
    let input = launch.fit(&program, parse_values(input).expect("it is read")).expect("it fits");
    eval::run(&program, &launch, &input, Order::InOrder, budget, to)
}

fn ending(source: &str, launch: &str, input: &str) -> Ending {
    run(source, launch, input, &mut Recorder::counting()).ending
}

#[test]
fn launches_that_mean_nothing_are_refused() {
    for text in [
        "k",
        "k 8",
        "k 8 3",
        "k 8 0",
        "k 0 1",
        "k 08 4",
        "k -8 4",
        "k 4 8",
        "k 8 4 2",
        "8 4 2",
        "k  8 4",
        "k 4294967296 1",
    ] {
        let no = Settings::default().set(&[LAUNCH], "launch", text).expect_err(text);
        assert!(no.contains("which divides them"), "{no}");
    }
    assert_eq!(Settings::default().set(&[LAUNCH], "launch", "k 8 4"), Ok(()));
}

#[test]
fn inputs_that_do_not_fit_are_refused() {
    let source =
        "void f() { } kernel void k(global int *g, local int *l, int n) { } kernel void one() { }";
    let program = parse::program(source).expect("it is read");
    let no = |launch: &str, input: &str| {
        let launch = Launch::read(launch).expect("it is a launch");
        let input = parse_values(input).expect("it is read");
        let no = launch.fit(&program, input).expect_err("it does not fit");
        no.help.map_or(no.message.clone(), |help| format!("{}; {help}", no.message))
    };
    expect!["there is no kernel `f` to launch; there are k, one"].assert_eq(&no("f 1 1", ""));
    expect!["2 input values for 3 parameters"].assert_eq(&no("k 2 1", "[1], 2"));
    expect!["parameter `l` is a local pointer, and not an array"]
        .assert_eq(&no("k 2 1", "[1], [2], 3"));
    expect!["parameter `g` is an array, not an int"].assert_eq(&no("", "1, 2, 3"));
    expect!["a local pointer to -2 elements"].assert_eq(&no("", "[1], -2, 3"));
    assert_eq!(
        Launch::read("one 1 1").expect("a launch").fit(&program, Vec::new()),
        Ok(Vec::new())
    );
}

#[test]
fn a_run_ends_within_its_budget() {
    let loops = "kernel void k(global int *g) { while (1) { *g = *g + 1; } }";
    assert_eq!(ending(loops, "", "[0]"), Ending::Unknown(Why::Fuel));
    let empty = "kernel void k(global int *g) { while (1) ; }";
    assert_eq!(ending(empty, "", "[0]"), Ending::Unknown(Why::Fuel));
    assert_eq!(ending("kernel void k() { }", "k 2000000000 1", ""), Ending::Unknown(Why::Fuel));
    let deep = "int f(int n) { return 1 + f(n + 1); } kernel void k(global int *g) { *g = f(0); }";
    assert!(matches!(ending(deep, "", "[0]"), Ending::Unknown(Why::NotModelled(_))));
    let large = "kernel void k(global int *g) { int a[2000000000]; a[1] = 1; }";
    assert!(matches!(ending(large, "", "[0]"), Ending::Unknown(Why::Fuel | Why::Memory(_))));
    let kept = "int *f() { int x; return &x; } kernel void k(global int *g) { while (1) { int *p = f(); } }";
    let budget = Budget { fuel: 1 << 40, memory: 1 << 20 };
    let outcome = run_within(kept, "", "[0]", &budget, &mut Recorder::counting());
    assert!(matches!(outcome.ending, Ending::Unknown(Why::Memory(_))), "{:?}", outcome.ending);
    let prototype = "int f(int *p); kernel void k(global int *g) { *g = f(g); }";
    assert!(matches!(ending(prototype, "", "[0]"), Ending::Unknown(Why::NotModelled(_))));
}

/// A call whose variables nobody points to gives their memory back.
#[test]
fn calls_give_their_memory_back() {
    let source = "int f(int *p) { int x = *p; return x + 1; }
         kernel void k(global int *g) { int i = 0; while (i < 3000) { i = f(&i); } *g = i; }";
    let budget = Budget { fuel: 1 << 20, memory: 1 << 12 };
    let outcome = run_within(source, "", "[0]", &budget, &mut Recorder::counting());
    assert_eq!(outcome.ending, Ending::Value(parse_values("[3000]").expect("it is read")));
}

#[test]
fn the_lowest_item_that_is_stuck_is_told() {
    let source = "kernel void k(global int *g) { int i = get_global_id(0); if (i > 1) { g[0] = 1 / (i - i); } }";
    for order in [Order::InOrder, Order::Reversed] {
        let program = parse::program(source).expect("it is read");
        let launch = Launch::read("k 6 2").expect("it is a launch");
        let input = parse_values("[0]").expect("it is read");
        let outcome = eval::run(
            &program,
            &launch,
            &input,
            order,
            &Budget::default(),
            &mut Recorder::counting(),
        );
        let Ending::Stuck(stuck) = outcome.ending else { panic!("{:?}", outcome.ending) };
        assert_eq!((stuck.thread, stuck.operands), (vec![3], vec![1, 0]));
        let span = stuck.site.span;
        assert_eq!(&source[span.start as usize..span.end as usize], "1 / (i - i)");
    }
}

#[test]
fn a_race_tells_both_items() {
    let source = "kernel void k(global int *g) { int i = get_global_id(0); if (i) { g[1] = i; } }";
    let outcome = run(source, "k 4 4", "[0, 0]", &mut Recorder::counting());
    let race = &outcome.races[0];
    assert_eq!((&race.first.thread, &race.second.thread), (&vec![2], &vec![3]));
    assert_eq!(
        (race.block.as_str(), race.offset, race.first.wrote, race.second.wrote),
        ("g", 1, true, true)
    );
}

/// Where the earlier access stands is told if it is asked for: it is the last one of that item.
#[test]
fn a_race_tells_both_places() {
    let both = |source: &str, launch: &str, input: &str| {
        let outcome = run(source, launch, input, &mut Recorder::locating());
        let race = &outcome.races[0];
        [&race.first, &race.second].map(|side| {
            let span = side.span.expect("it is asked for");
            source[span.start as usize..span.end as usize].to_owned()
        })
    };
    let source = "kernel void k(global int *g, local int *l) { int i = get_local_id(0);
        if (i == 0) { l[1] = 2; } barrier(local);
        if (i == 0) { l[0] = 1; *(l + 1) = l[1] + 3; } else { *g = l[1]; } }";
    assert_eq!(both(source, "k 2 2", "[0], 2"), ["*(l + 1)", "l[1]"]);
    let source = "void set(int *p, int n) { if (n) { *p = 4; } }
        kernel void k(global int *g) { int n = *g; set(g, get_global_id(0)); }";
    assert_eq!(both(source, "k 2 1", "[0]"), ["*g", "*p"]);
    // Nobody asked here.
    let outcome = run(source, "k 2 1", "[0]", &mut Recorder::counting());
    assert_eq!(outcome.races[0].first.span, None);
}

#[test]
fn a_derivation_shows_rules_and_values() {
    let source = "int one(int *p) { return *p + 1; } void set(int *p) { *p = 3; }
        kernel void k(global int *g) { if (get_global_id(0)) { g[1] = one(g); } barrier(global);
          while (*g < 3) { set(g); } }";
    let mut recorder = Recorder::tree(100);
    run(source, "k 2 2", "[2, 0]", &mut recorder);
    let (_, roots) = recorder.finish();
    let mut lines = Vec::new();
    fn walk(node: &crate::kit::derivation::Derivation, depth: usize, lines: &mut Vec<String>) {
        let line =
            format!("{}{} {} => {}", "  ".repeat(depth), node.rule, node.subject, node.conclusion);
        lines.push(line.trim_end_matches(" => ").to_owned());
        node.premises.iter().for_each(|premise| walk(premise, depth + 1, lines));
    }
    roots.iter().for_each(|root| walk(root, 0, &mut lines));
    expect![[r#"
        E-LAUNCH k
          E-GROUP group 0
            E-ITEM item 0 => waits at barrier(global)
              E-IF if (get_global_id(0)) …
                E-BUILTIN get_global_id(0) => 0
              E-BARRIER barrier(global);
            E-ITEM item 1 => waits at barrier(global)
              E-IF if (get_global_id(0)) …
                E-BUILTIN get_global_id(0) => 1
                E-BLOCK { … }
                  E-STORE g[1] = one(g);
                    E-OP g + 1 => ptr(global, 0, 1)
                      E-VAR g => ptr(global, 0, 0)
                      E-INT 1 => 1
                      E-OFFSET g + 1 => ptr(global, 0, 1)
                    E-APP one(g) => 3
                      E-VAR g => ptr(global, 0, 0)
                      E-RETURN return *p + 1; => 3
                        E-OP *p + 1 => 3
                          E-LOAD *p => 2
                            E-VAR p => ptr(global, 0, 0)
                          E-INT 1 => 1
              E-BARRIER barrier(global);
            E-ITEM item 0
              E-WHILE while (*g < 3) …
                E-OP *g < 3 => 1
                  E-LOAD *g => 2
                    E-VAR g => ptr(global, 0, 0)
                  E-INT 3 => 3
                E-BLOCK { … }
                  E-EXPR set(g);
                    E-APP set(g)
                      E-VAR g => ptr(global, 0, 0)
                      E-STORE *p_1 = 3;
                        E-VAR p_1 => ptr(global, 0, 0)
                        E-INT 3 => 3
              E-WHILE while (*g < 3) …
                E-OP *g < 3 => 0
                  E-LOAD *g => 3
                    E-VAR g => ptr(global, 0, 0)
                  E-INT 3 => 3
            E-ITEM item 1
              E-WHILE while (*g < 3) …
                E-OP *g < 3 => 0
                  E-LOAD *g => 3
                    E-VAR g => ptr(global, 0, 0)
                  E-INT 3 => 3
    "#]]
    .assert_eq(&(lines.join("\n") + "\n"));
}
