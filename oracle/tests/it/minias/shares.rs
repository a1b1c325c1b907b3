//! What the generator of MiniAS draws, over 10,000 programs; what it draws is well typed, and of its programs all engines
//! give the same end.

use arbitrary::Unstructured;
use oracle::campaign::draw;
use oracle::generate::ill_typed::premise;
use oracle::generate::{Intent, Made, Weights, case_bytes, minias, sycl};
use oracle::language::Lang;
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::language::{How, Language};
use reference::kit::memory::Memory;
use reference::kit::names::Var;
use reference::kit::outcome::{Budget, Ending, Outcome, Value};
use reference::minias::syntax::{Cond, Exp, Init, Item, Kind, Program, Stmt, StmtKind};
use reference::minias::types::{MODE, Typed};
use reference::minias::{Minias, infer};
use reference::sycl::Sycl;
use std::collections::BTreeMap;

const PROGRAMS: u64 = 10_000;

/// What is counted of a program.
#[derive(Default)]
struct Seen {
    /// The functions that are called.
    calls: Vec<Var>,
    pointer_in_loop: bool,
    array: bool,
    cast: bool,
    barrier: bool,
    /// A barrier where items may part.
    parted: bool,
}

fn drawn(seed: u64, index: u64) -> Made<Program> {
    minias::program(&mut Unstructured::new(&case_bytes(seed, index)), &Weights::default())
}

/// The types, with which the program is well typed.
fn typed(program: &Program) -> Typed {
    let typed = infer::infer(program, program.options.mode, &mut Recorder::counting());
    typed.unwrap_or_else(|no| panic!("{no:?}\n{}", Minias::print(program)))
}

/// Does the function take or return a pointer?
fn takes_pointers(program: &Program, name: Var) -> bool {
    program.items.iter().any(|item| match item {
        Item::Function(function) if function.name == name => {
            let params = function.params.iter().map(|param| &param.ty);
            params.chain([&function.result]).any(|ty| !ty.stars.is_empty())
        }
        _ => false,
    })
}

fn run<L: Language>(program: &L::Program, input: &[Value], variant: &'static str) -> Outcome {
    let settings = L::options_of(program);
    let how = How {
        variant,
        schedule: 7,
        budget: &Budget { fuel: 1_000_000, memory: 1 << 24 },
        settings: &settings,
        planted: Planted::NONE,
        memory: &mut Memory::default(),
    };
    L::run(program, input, how, &mut Recorder::counting())
}

fn alike(one: &Outcome, other: &Outcome) -> bool {
    let endings = match (&one.ending, &other.ending) {
        (Ending::Stuck(one), Ending::Stuck(other)) => one.agrees(other),
        (one, other) => one == other,
    };
    endings && one.races.is_empty() && other.races.is_empty()
}

#[test]
fn shares_of_what_is_drawn() {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for index in 0..PROGRAMS {
        let Made { program, input, intent } = drawn(36, index);
        let typed = typed(&program);
        let mut seen = Seen::default();
        for item in &program.items {
            if let Item::Function(function) = item {
                function
                    .body
                    .iter()
                    .flatten()
                    .for_each(|stmt| of_stmt(stmt, &typed, false, &mut seen));
            }
        }
        let two = typed
            .bodies
            .iter()
            .flat_map(|(_, notes)| notes)
            .any(|note| note.ty.row().is_some_and(|row| row.names.len() >= 2));
        let launch = &program.options.launch;
        let outcome = run::<Minias>(&program, &input, "");
        let stuck = matches!(outcome.ending, Ending::Stuck(_));
        assert!(
            intent == Intent::Stuck || matches!(outcome.ending, Ending::Value(_)),
            "{index}: {outcome:?}"
        );
        for (what, is) in [
            ("two spaces in one row", two),
            (
                "a pointer through a call",
                seen.calls.iter().any(|name| takes_pointers(&program, *name)),
            ),
            ("a pointer through a loop", seen.pointer_in_loop),
            ("arrays of pointers", seen.array),
            ("dynamic_cast", seen.cast),
            ("several groups", launch.items > launch.size),
            ("barriers", seen.barrier),
            ("barriers where items may part", seen.parted),
            ("stuck", stuck),
        ] {
            *counts.entry(what).or_default() += u64::from(is);
        }
    }
    let least = [
        ("two spaces in one row", 40, 90),
        ("a pointer through a call", 40, 70),
        ("a pointer through a loop", 25, 55),
        ("arrays of pointers", 10, 60),
        ("dynamic_cast", 15, 55),
        ("several groups", 30, 36),
        ("barriers", 15, 22),
        ("barriers where items may part", 1, 4),
        ("stuck", 12, 18),
    ];
    let mut wrong = Vec::new();
    for (what, least, most) in least {
        let share = counts[what] as f64 * 100.0 / PROGRAMS as f64;
        if share < f64::from(least) || share > f64::from(most) {
            wrong.push(format!("{what}: {share:.1} %, and not {least} to {most}"));
        }
    }
    assert!(wrong.is_empty(), "{}\n{counts:?}", wrong.join("\n"));
}

/// What a campaign does with the programs besides: it breaks a premise of some, and runs some in another mode.
#[test]
fn shares_of_what_a_campaign_adds() {
    let weights = Weights::of(Some(Lang::Minias));
    let mut modes: BTreeMap<String, u64> = BTreeMap::new();
    let mut broken = 0;
    for number in 0..PROGRAMS {
        let case = draw(36, number, &weights).case;
        let mode = case.settings.get(&MODE).to_owned();
        broken += u64::from(premise(case.schedule).is_some());
        *modes.entry(mode).or_default() += 1;
    }
    assert!(broken * 100 >= 15 * PROGRAMS, "{broken} of {PROGRAMS} are ill-typed");
    for (mode, least) in [("single", 10), ("generic", 100), ("private", 10)] {
        let drawn = modes.get(mode).copied().unwrap_or(0);
        assert!(drawn >= least, "{mode}: {modes:?}");
    }
}

/// All orders and both translations end as the program does.
#[test]
fn readings_and_orders_agree_on_what_is_drawn() {
    for index in 0..2_000 {
        let Made { program, input, .. } = drawn(37, index);
        let wanted = run::<Minias>(&program, &input, "");
        for variant in &Minias::VARIANTS[1..] {
            let found = run::<Minias>(&program, &input, variant.name);
            assert!(
                alike(&wanted, &found),
                "{index} {}: {:?} and {:?}, races {:?} {:?}\n{}",
                variant.name,
                wanted.ending,
                found.ending,
                wanted.races,
                found.races,
                Minias::print(&program)
            );
        }
    }
}

/// What is printed is read as the same program, which ends the same.
#[test]
fn what_is_printed_is_the_same_program() {
    for index in 0..2_000 {
        let Made { program, input, .. } = drawn(38, index);
        let text = Minias::print(&program);
        let read = Minias::parse(&text).unwrap_or_else(|no| panic!("{no:?}\n{text}"));
        let read = Minias::under(read, &Minias::options_of(&program));
        assert!(reference::kit::same::same(&program, &read), "{text}");
        typed(&read);
        let (one, other) = (run::<Minias>(&program, &input, ""), run::<Minias>(&read, &input, ""));
        let values = |outcome: &Outcome| matches!(outcome.ending, Ending::Value(_));
        assert!(!values(&one) || one.ending == other.ending, "{text}");
    }
}

#[test]
fn programs_of_minisycl_are_accepted_and_run() {
    let (mut stuck, mut groups) = (0, 0);
    const COUNT: u64 = 2_000;
    for index in 0..COUNT {
        let bytes = case_bytes(39, index);
        let Made { program, input, intent } =
            sycl::program(&mut Unstructured::new(&bytes), &Weights::default());
        let checked = Sycl::check(&program, &mut Recorder::counting());
        assert!(checked.is_ok(), "{checked:?}\n{}", Sycl::print(&program));
        let outcome = run::<Sycl>(&program, &input, "");
        assert!(outcome.races.is_empty(), "{:?}\n{}", outcome.races, Sycl::print(&program));
        match outcome.ending {
            Ending::Value(_) => {}
            Ending::Stuck(_) if intent == Intent::Stuck => stuck += 1,
            other => panic!("{other:?}\n{}", Sycl::print(&program)),
        }
        groups += u64::from(program.options.launch.items > program.options.launch.size);
    }
    let percent = |count: u64| count * 100 / COUNT;
    assert!((8..=14).contains(&percent(stuck)), "{stuck}");
    assert!((28..=36).contains(&percent(groups)), "{groups}");
}

fn of_stmt(stmt: &Stmt, typed: &Typed, in_loop: bool, seen: &mut Seen) {
    let is_pointer =
        |var| typed.variables.iter().any(|(known, ty)| *known == var && ty.row().is_some());
    let init = |init: &Option<Init>, seen: &mut Seen| {
        init.iter().flat_map(Init::exps).for_each(|exp| of_exp(exp, seen));
    };
    match &stmt.kind {
        StmtKind::Empty => {}
        StmtKind::Barrier(_) => seen.barrier = true,
        StmtKind::Decl(decl) => {
            seen.array |= decl.extent.is_some() && !decl.ty.stars.is_empty();
            init(&decl.init, seen);
        }
        StmtKind::Exp(exp) => of_exp(exp, seen),
        StmtKind::Assign(place, value) => {
            if let Kind::Var(var) = place.kind {
                seen.pointer_in_loop |= in_loop && is_pointer(var);
            }
            of_exp(place, seen);
            of_exp(value, seen);
        }
        StmtKind::Return(exp) => exp.iter().for_each(|exp| of_exp(exp, seen)),
        StmtKind::Block(body) => body.iter().for_each(|stmt| of_stmt(stmt, typed, in_loop, seen)),
        StmtKind::If(cond, then, otherwise) => {
            match cond {
                Cond::Exp(exp) => of_exp(exp, seen),
                Cond::Decl(decl) => init(&decl.init, seen),
            }
            seen.parted |= matches!(then.kind, StmtKind::Barrier(_));
            of_stmt(then, typed, in_loop, seen);
            otherwise.iter().for_each(|stmt| of_stmt(stmt, typed, in_loop, seen));
        }
        StmtKind::While(condition, body) => {
            of_exp(condition, seen);
            of_stmt(body, typed, true, seen);
        }
        StmtKind::For(parts) => of_stmt(&parts.body, typed, true, seen),
    }
}

fn of_exp(exp: &Exp, seen: &mut Seen) {
    match &exp.kind {
        Kind::Int(_) | Kind::Null | Kind::Var(_) | Kind::Builtin(_) => {}
        Kind::Dynamic(_, part) => {
            seen.cast = true;
            of_exp(part, seen);
        }
        Kind::Unary(_, part) | Kind::Load(part) | Kind::Address(part) | Kind::Cast(_, part) => {
            of_exp(part, seen);
        }
        Kind::Binary(_, one, other) => {
            of_exp(one, seen);
            of_exp(other, seen);
        }
        Kind::Cond(parts) => parts.iter().for_each(|part| of_exp(part, seen)),
        Kind::Call(name, args) => {
            seen.calls.push(*name);
            args.iter().for_each(|arg| of_exp(arg, seen));
        }
    }
}
