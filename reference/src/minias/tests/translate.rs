//! Translations: they make the accesses of the program, and end as it does.

use crate::kit::coverage::Coverage;
use crate::kit::derivation::Recorder;
use crate::kit::outcome::{Budget, Ending, Outcome, Stuck, Value};
use crate::kit::schedule::Order;
use crate::kit::value::parse_values;
use crate::minias::evidence::Reading;
use crate::minias::launch::Launch;
use crate::minias::rules::Rule;
use crate::minias::syntax::{Item, Program, Space, StmtKind};
use crate::minias::target::{At, Exp, Kind};
use crate::minias::translate::translate;
use crate::minias::types::{Mode, Typed};
use crate::minias::{eval, infer, parse, target};
use expect_test::{Expect, expect};

pub(super) const READINGS: [Reading; 2] = [Reading::Fixed, Reading::Places];

/// A run.
pub(super) struct Ran<'p> {
    pub(super) launch: &'p Launch,
    pub(super) input: &'p [Value],
    pub(super) order: Order,
    pub(super) budget: Budget,
}

/// How a program and its translations end, and where they do not agree. One that is out of its budget has no answer.
pub(super) fn compared(
    program: &Program,
    targets: &[target::Program],
    ran: &Ran<'_>,
    coverage: &mut Coverage,
) -> (Outcome, Vec<String>) {
    let Ran { launch, input, order, budget } = *ran;
    let mut recorder = Recorder::counting();
    let (wanted, touches) =
        eval::run_touching(program, launch, input, order, &budget, &mut recorder);
    coverage.add(recorder.coverage());
    let mut wrong = Vec::new();
    for target in targets {
        let mut recorder = Recorder::counting();
        let (found, touched) =
            eval::run_target(target, launch, input, order, &budget, true, &mut recorder);
        coverage.add(recorder.coverage());
        let same = match (&wanted.ending, &found.ending) {
            (Ending::Unknown(_), _) | (_, Ending::Unknown(_)) => continue,
            (Ending::Stuck(one), Ending::Stuck(other)) => at(one) == at(other),
            (one, other) => one == other,
        };
        if !same || touches != touched || wanted.races != found.races {
            wrong.push(format!(
                "{:?} instead of {:?}, {touched:?} instead of {touches:?} in\n{}",
                found.ending,
                wanted.ending,
                target.text()
            ));
        }
    }
    (wanted, wrong)
}

/// What agrees of two runs that are stuck.
fn at(stuck: &Stuck) -> (crate::kit::outcome::Site, &[i32], &[i64]) {
    (stuck.site, &stuck.thread, &stuck.operands)
}

fn typed(source: &str) -> (Program, Typed) {
    let program = parse::program(source).expect("it is read");
    let typed = infer::infer(&program, Mode::Infer, &mut Recorder::counting());
    let typed = typed.expect("it has types");
    (program, typed)
}

fn check(source: &str, reading: Reading, expected: Expect) {
    let (program, typed) = typed(source);
    expected.assert_eq(&translate(&program, &typed, reading, &mut Recorder::counting()).text());
}

/// The program and its translations agree, with this result.
fn agree(source: &str, input: &str, result: &str) {
    let (program, typed) = typed(source);
    let targets =
        READINGS.map(|reading| translate(&program, &typed, reading, &mut Recorder::counting()));
    let launch = Launch::read("").expect("it is a launch");
    let input = launch.fit(&program, parse_values(input).expect("it is read")).expect("it fits");
    let ran =
        Ran { launch: &launch, input: &input, order: Order::InOrder, budget: Budget::default() };
    let (outcome, wrong) = compared(&program, &targets, &ran, &mut Coverage::new::<Rule>());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(outcome.ending, Ending::Value(parse_values(result).expect("it is read")));
}

const PICKS: &str = "int *pick(int n, global int *g, int *q) { if (n) { return g; } return q; }
int *twice(int *p, global int *g) { return pick(1, g, pick(0, g, p)); }
int of(int *p) { return dynamic_cast<private int *>(p) != NULL; }
kernel void k(global int *g, local int *l) { int *p = twice(l, g); int x; int *q = l; q = &x; *p = of(q) + of(g); }";

#[test]
fn places_are_passed_with_row_tables() {
    check(
        PICKS,
        Reading::Places,
        expect![[r#"
            int *pick(number e0, int n, global int *g, int *q) {
                if (n)
                {
                    return pair(e0, g);
                }
                return q;
            }
            int *twice(number e0, int *p, global int *g_1) {
                return pick(e0, 1, g_1, pick(e0, 0, g_1, p));
            }
            int of(number e0, int *p_1) {
                return (address_private(dynamic(e0, p_1)) != address([], NULL));
            }
            kernel void k(global int *g_2, local int *l) {
                int *p_2 = twice(0, pair(1, l), g_2);
                int x;
                int *q_1 = pair(0, l);
                q_1 = pair(1, &x);
                at([0, 1], p_2) = (of(1, q_1) + of(1, pair(0, g_2)));
            }
        "#]],
    );
}

#[test]
fn ids_are_passed_without_tables() {
    check(
        PICKS,
        Reading::Fixed,
        expect![[r#"
        int *pick(number e0, int n, global int *g, int *q) {
            if (n)
            {
                return pair(0, g);
            }
            return q;
        }
        int *twice(number e0, int *p, global int *g_1) {
            return pick(0, 1, g_1, pick(0, 0, g_1, p));
        }
        int of(number e0, int *p_1) {
            return (address_private(dynamic(2, p_1)) != address(NULL));
        }
        kernel void k(global int *g_2, local int *l) {
            int *p_2 = twice(0, pair(1, l), g_2);
            int x;
            int *q_1 = pair(1, l);
            q_1 = pair(2, &x);
            at(p_2) = (of(2, q_1) + of(2, pair(0, g_2)));
        }
    "#]],
    );
}

#[test]
fn memory_holds_pairs() {
    let source = "int ld(int **p) { return **p; }
kernel void k(global int *g) { global int *a[2] = {g, g + 1}; global int *b = a[1]; g[0] = ld(a + 1) + ld(&b) + ld(&g); }";
    agree(source, "[5, 7]", "[19, 7]");
    check(
        source,
        Reading::Places,
        expect![[r#"
            int ld(table t0, table t1, int **p) {
                return at(t1, at(t0, p));
            }
            kernel void k(global int *g) {
                g = pair(0, g);
                global int *a[2] = {pair(0, thin(g)), pair(0, (thin(g) + 1))};
                global int *b = pair(0, thin(at_private((a + 1))));
                at_global((thin(g) + 0)) = ((ld([2], [0], pair(0, (a + 1))) + ld([2], [0], pair(0, &b))) + ld([2], [0], pair(0, &g)));
            }
        "#]],
    );
}

/// In a component a function may use a row of the type of another one: it is passed what that row has, and what calls it
/// from outside passes what the empty row has.
#[test]
fn a_row_of_another_function_of_the_component_is_passed_on() {
    let source = "int walk(int n, int *p, global int *g) { if (n > 9) { p = g; } if (n) { return even(n - 1, g) + *p; } return *p; }
int even(int n, global int *g) { int *v; v = g; return walk(n, v, g); }
kernel void k(global int *g, local int *l) { *l = 7; g[0] = walk(2, l, g) + even(1, g); }";
    agree(source, "[5], 1", "[27]");
    check(
        source,
        Reading::Places,
        expect![[r#"
            int walk(number e0, table t0, int n, int *p, global int *g) {
                if ((n > 9))
                {
                    p = pair(e0, g);
                }
                if (n)
                {
                    return (even(e0, t0, (n - 1), g) + at(put(t0, e0, 0), p));
                }
                return at(put(t0, e0, 0), p);
            }
            int even(number e0, table t0, int n_1, global int *g_1) {
                int *v;
                v = pair(e0, g_1);
                return walk(e0, t0, n_1, v, g_1);
            }
            kernel void k(global int *g_2, local int *l) {
                at_local(l) = 7;
                at_global((g_2 + 0)) = (walk(0, [1], 2, pair(1, l), g_2) + even(0, [], 1, g_2));
            }
        "#]],
    );
}

/// The literal reading of fig. 9 takes a place for an id: then a pointer to local memory loads from global memory.
#[test]
fn places_alone_do_not_say_the_space() {
    let source = "int ld(int *p) { return *p; }
kernel void k(global int *g, local int *l) { *l = 7; g[0] = ld(l); }";
    agree(source, "[5], 1", "[7]");
    let (program, typed) = typed(source);
    let mut places = translate(&program, &typed, Reading::Places, &mut Recorder::counting());
    let launch = Launch::read("").expect("it is a launch");
    let input = launch.fit(&program, parse_values("[5], 1").expect("it is read")).expect("it fits");
    for item in &mut places.program.items {
        let Item::Function(function) = item else { continue };
        for stmt in function.body.iter_mut().flatten() {
            if let StmtKind::Return(Some(Exp { kind: Kind::Load(at, _), .. })) = &mut stmt.kind {
                *at = At::Tag;
            }
        }
    }
    let (outcome, touches) = eval::run_target(
        &places,
        &launch,
        &input,
        Order::InOrder,
        &Budget::default(),
        true,
        &mut Recorder::counting(),
    );
    assert_eq!(outcome.ending, Ending::Value(parse_values("[5]").expect("it is read")));
    assert!(touches.contains(&(0, Space::Global, 0, 0, false)), "{touches:?}");
}

/// Calls that are nested too deeply have no answer there either.
#[test]
fn deep_calls_end() {
    let source = "int f(int n, int *p) { return 1 + f(n + 1, p); }
kernel void k(global int *g) { *g = f(0, g); }";
    let (program, typed) = typed(source);
    let target = translate(&program, &typed, Reading::Places, &mut Recorder::counting());
    let launch = Launch::read("").expect("it is a launch");
    let input = launch.fit(&program, parse_values("[5]").expect("it is read")).expect("it fits");
    let (order, budget, to) = (Order::InOrder, Budget::default(), &mut Recorder::counting());
    let (outcome, _) = eval::run_target(&target, &launch, &input, order, &budget, false, to);
    assert!(matches!(outcome.ending, Ending::Unknown(_)), "{:?}", outcome.ending);
}
