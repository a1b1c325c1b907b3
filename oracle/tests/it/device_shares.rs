//! What the generator of the device language makes, in shares. `--nocapture` shows them all.
#![allow(clippy::print_stdout)]

use crate::shares::{any_bytes_make_programs, at_least};
use arbitrary::Unstructured;
use compiler::emit::style::Style;
use compiler::emit::style::choices::STYLE_BYTES;
use oracle::check::{Answer, Class, Depth, Tester, Verdict};
use oracle::engine::{Artifact, Case, EngineId, Origin};
use oracle::generate::device::program;
use oracle::generate::{Intent, Made, Weights, case_bytes};
use oracle::language::Lang;
use oracle::stages::LAST;
use reference::device::eval::{self, Order};
use reference::device::globals::Globals;
use reference::device::parts::Statement;
use reference::device::rules::Rule;
use reference::device::syntax::{
    Block, Builtin, Exp, Given, Host, Kernel, Kind, MAX_GROUP, Place, Program, Shown,
};
use reference::device::{parse, print, validate, visit};
use reference::kit::derivation::Recorder;
use reference::kit::language::Settings;
use reference::kit::outcome::{Budget, Cause, Ending, Outcome, Scalar, Value};
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use std::collections::BTreeMap;

/// How many programs the shares are of.
const PROGRAMS: u64 = 3_000;

const BUDGET: Budget = Budget { fuel: 10_000_000, memory: 64 << 20 };

fn made(seed: u64, index: u64) -> Made<Program> {
    let bytes = case_bytes(seed, index);
    program(&mut Unstructured::new(&bytes), &Weights::default())
}

/// A case of some schedule.
fn case(program: Program, input: Vec<Value>, number: u64) -> Case {
    Case {
        program: Artifact::Device(program),
        input,
        schedule: number.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        settings: Settings::default(),
        budget: BUDGET,
        origin: Origin::Generated { seed: 0, number },
    }
}

/// Runs a program with its threads in an order.
fn run(made: &Made<Program>, order: Order, rolls: &mut Recorder<Rule>) -> Outcome {
    eval::run(&made.program, &made.input, order, &BUDGET, rolls)
}

/// What evaluates, in percent of programs at least. The rules that are not named fire in all of them, but
/// for those of accesses that get stuck on the host.
const SHARES: [(&str, f64); 28] = [
    ("D-BARRIER", 25.0),
    ("D-ATOMIC", 25.0),
    ("D-CALL", 25.0),
    ("D-REF", 20.0),
    ("D-DEREF", 20.0),
    ("D-MAKE", 50.0),
    ("D-AT", 50.0),
    ("D-FIELD", 15.0),
    ("D-PLACE-VAR", 60.0),
    ("D-ELEMENT", 93.0),
    ("D-IF", 90.0),
    ("D-SWITCH", 20.0),
    ("D-LOOP", 45.0),
    ("D-PAR", 8.0),
    ("D-GROUP", 95.0),
    ("D-CHECK", 25.0),
    ("D-SELECT", 60.0),
    ("D-CAST", 60.0),
    ("D-BITCAST", 50.0),
    ("D-BLOCK", 3.0),
    ("D-HOST-LOOP", 8.0),
    ("D-HOST-IF", 8.0),
    ("D-HOST-PAR", 12.0),
    ("D-ASSIGN", 2.0),
    ("D-COPY", 8.0),
    ("D-READ", 8.0),
    ("D-WRITE", 8.0),
    ("D-FREE", 2.0),
];

#[test]
fn device_programs_are_valid_and_do_what_they_are_made_for() {
    let mut fired: BTreeMap<&str, u64> = BTreeMap::new();
    let mut all = Recorder::counting();
    let (mut meant_to_run, mut ran, mut stuck) = (0, 0, 0);
    let (mut meant_to_race, mut raced) = (0, 0);
    let mut statements = Vec::new();
    let (mut private, mut workgroup, mut by_functions) = (0, 0, 0);
    let (mut by_variable, mut waits_by_variable) = (0, 0);
    let (mut call_what_may_fail, mut fail_in_a_function) = (0, 0);
    for index in 0..PROGRAMS {
        let made = made(7, index);
        let globals = Globals::of(&made.program);
        let kernels = &made.program.kernels;
        let named = |variables: fn(&Kernel) -> usize| {
            let own = |kernel: &Kernel| variables(&globals.kernel(kernel)) > variables(kernel);
            u64::from(kernels.iter().any(own))
        };
        private += named(|kernel| kernel.private.len());
        workgroup += named(|kernel| kernel.workgroup.len());
        let mut functions = 0..made.program.functions.len() as u32;
        by_functions += u64::from(functions.any(|number| !globals.function(number).is_empty()));
        call_what_may_fail += u64::from(calls_what_may_fail(&made.program));
        let loops = loops_over_variables(&made.program);
        by_variable += u64::from(loops[0]);
        waits_by_variable += u64::from(loops[1]);
        let text = || print::program(&made.program);
        let mut rolls = Recorder::counting();
        if let Err(error) = validate::check(&made.program, &mut rolls) {
            panic!("case {index}: {error} {:?}\n{}", error.rule, text());
        }
        let outcome = run(&made, Order::InOrder, &mut rolls);
        match made.intent {
            Intent::Races => {
                meant_to_race += 1;
                raced += u64::from(!outcome.races.is_empty());
            }
            _ => {
                let races = &outcome.races;
                assert!(races.is_empty(), "case {index}: {races:?}\n{}", text());
            }
        }
        if let Ending::Stuck(stuck) = &outcome.ending {
            fail_in_a_function += u64::from(is_in_a_function(&made.program, stuck.site.span));
        }
        statements.push(outcome.stats.statements);
        stuck += u64::from(matches!(outcome.ending, Ending::Stuck(_)));
        if made.intent == Intent::Runs {
            meant_to_run += 1;
            match outcome.ending {
                Ending::Value(_) => ran += 1,
                other => println!("case {index}: {other:?}\n{}", text()),
            }
        }
        let (coverage, _) = rolls.finish();
        for (rule, times, _) in coverage.lines() {
            *fired.entry(rule.name).or_default() += u64::from(times > 0);
        }
        validate::check(&made.program, &mut all).expect("it was valid");
        run(&made, Order::InOrder, &mut all);
    }
    statements.sort_unstable();
    println!("executed statements, median: {}", statements[statements.len() / 2]);
    let percent = |count: u64, of: u64| 100.0 * count as f64 / of as f64;
    at_least("run that are meant to", percent(ran, meant_to_run), 99.9);
    at_least("stuck", percent(stuck, PROGRAMS), 8.0);
    at_least("forget barriers", percent(meant_to_race, PROGRAMS), 5.0);
    at_least("race, of those", percent(raced, meant_to_race), 15.0);
    at_least("loop over a variable", percent(by_variable, PROGRAMS), 5.0);
    at_least("loop over a variable to barriers", percent(waits_by_variable, PROGRAMS), 1.0);
    at_least("call a function that may fail", percent(call_what_may_fail, PROGRAMS), 10.0);
    at_least("fail in a function", percent(fail_in_a_function, PROGRAMS), 0.5);
    at_least("name private variables of the program", percent(private, PROGRAMS), 20.0);
    at_least("name work-group variables of it", percent(workgroup, PROGRAMS), 10.0);
    at_least("name variables of it in functions", percent(by_functions, PROGRAMS), 8.0);
    for (rule, least) in SHARES {
        at_least(rule, percent(fired[rule], PROGRAMS), least);
    }
    // No result lies outside a block; premises of types do not fail; other causes are those of languages that have
    // pointers or regions.
    let (coverage, _) = all.finish();
    let missing = coverage.missing();
    let missing: Vec<_> = missing.iter().filter(|line| !line.starts_with("D-T-")).collect();
    let others = ["null", "region_full", "region_gone", "same_block", "space", "together", "whole"];
    let others = others.map(|cause| format!("D-CHECK {cause}"));
    let results = ["block", "size", "inside", "whole"].map(|premise| format!("D-RESULT {premise}"));
    let never: Vec<String> = others.into_iter().chain(results).collect();
    assert_eq!(missing, never.iter().collect::<Vec<_>>());
}

/// Has the program a loop that counts by a variable, and one that holds a barrier?
fn loops_over_variables(program: &Program) -> [bool; 2] {
    let mut found = [false; 2];
    for kernel in &program.kernels {
        visit::stms(&kernel.body, &mut |stm| {
            if let Kind::Loop(rounds) = &stm.kind {
                let by_variable = visit::any_exp(
                    &rounds.cond,
                    &mut |exp| matches!(exp, Exp::Load(place) if matches!(**place, Place::Var(_))),
                );
                found[0] |= by_variable;
                found[1] |= by_variable && visit::has_barrier(&rounds.body);
            }
        });
    }
    found
}

/// Does a kernel or a parallel loop of the host call a function with a check or an access of a block, its own or in what it
/// calls?
fn calls_what_may_fail(program: &Program) -> bool {
    let mut fails: Vec<bool> = Vec::new();
    let of_block = |place: &Place| matches!(place, Place::Element(..));
    for function in &program.functions {
        let mut reads = false;
        let look = &mut |exp: &Exp| reads |= matches!(exp, Exp::Load(place) if of_block(place));
        visit::block(&function.body, look);
        function.result.iter().for_each(|(_, result)| visit::exp(result, look));
        let does = visit::any_stm(&function.body, &mut |kind| match kind {
            Kind::Call { function, .. } => fails[*function as usize],
            Kind::Store(place, _) => of_block(place),
            kind => matches!(kind, Kind::Check(_)),
        });
        fails.push(reads || does);
    }
    let calls = |body: &Block| {
        visit::any_stm(
            body,
            &mut |kind| matches!(kind, Kind::Call { function, .. } if fails[*function as usize]),
        )
    };
    let by_host =
        visit::any_stm(&program.host, &mut |stm| matches!(stm, Host::Par(par) if calls(&par.body)));
    by_host || program.kernels.iter().any(|kernel| calls(&kernel.body))
}

/// Is it the place of a statement of a function, or of its result?
fn is_in_a_function(program: &Program, at: Span) -> bool {
    let mut found = false;
    for function in &program.functions {
        found |= function.span == at;
        visit::stms(&function.body, &mut |stm| found |= stm.span == at);
    }
    found
}

/// Is it a division by 0 as the generator makes it, or a component beyond a vector or an element beyond a block?
fn reasons(kind: &Kind) -> [bool; 2] {
    let mut found = [false; 2];
    let beyond = |index: &Exp| matches!(index, Exp::Bin(BinOp::Or, ab) if ab[1] == Exp::u32(4));
    let look = &mut |exp: &Exp| match exp {
        Exp::Bin(BinOp::Div, ab) => {
            found[0] |= matches!(&ab[1], Exp::Bin(BinOp::And, ab) if ab[1] == Exp::i32(0));
        }
        Exp::At(parts) => found[1] |= beyond(&parts[1]),
        _ => {}
    };
    if kind.blocks().is_empty() {
        visit::kind(kind, look);
    }
    let behind = |block: &Exp, index: &Exp| matches!(index, Exp::Bin(BinOp::Add, ab) if ab[0] == Exp::Length(Box::new(block.clone())));
    match kind {
        Kind::Store(Place::At(_, index), _) => found[1] |= beyond(index),
        Kind::Store(Place::Element(block, index), _)
        | Kind::Atomic { place: Place::Element(block, index), .. } => {
            found[1] |= behind(block, index);
        }
        _ => {}
    }
    found
}

/// Of what gets stuck on purpose some stood before where it is not reached, some holds until a variable
/// changes, and some has another reason in the same statement.
#[test]
fn what_gets_stuck_may_look_like_what_does_not() {
    let weights = Weights { stuck: 100, ..Weights::default() };
    let (mut nobody, mut changes, mut twice, mut ordered) = (0, 0, 0, 0);
    for index in 0..PROGRAMS {
        let bytes = case_bytes(7, index);
        let made = program(&mut Unstructured::new(&bytes), &weights);
        let mut checked: Vec<&Exp> = Vec::new();
        let mut is = [false; 4];
        for kernel in &made.program.kernels {
            visit::stms(&kernel.body, &mut |stm| match &stm.kind {
                Kind::If(branch) => {
                    let no_group = Exp::u32(MAX_GROUP);
                    let id = Exp::Builtin(Builtin::LocalId);
                    is[0] |= branch.cond == Exp::bin(BinOp::Ge, id, no_group);
                }
                Kind::Check(check) => {
                    let loads = check.operands.iter().filter(|exp| matches!(exp, Exp::Load(_)));
                    for operand in loads {
                        is[1] |= checked.contains(&operand);
                        checked.push(operand);
                    }
                    is[2] |= reasons(&stm.kind) == [true, true];
                    is[3] |= check.order.is_some();
                }
                other => is[2] |= reasons(other) == [true, true],
            });
        }
        for (count, is) in [&mut nobody, &mut changes, &mut twice, &mut ordered].into_iter().zip(is)
        {
            *count += u64::from(is);
        }
    }
    let percent = |count: u64| 100.0 * count as f64 / PROGRAMS as f64;
    at_least("a check that nobody comes to", percent(nobody), 2.0);
    at_least("a check of what changes", percent(changes), 2.0);
    at_least("two reasons in one statement", percent(twice), 7.0);
    at_least("a check with an order", percent(ordered), 10.0);
}

/// The order of threads changes nothing of what a program gives that is meant to run.
#[test]
fn the_order_of_invocations_does_not_matter() {
    for index in 0..PROGRAMS / 3 {
        let made = made(11, index);
        if made.intent != Intent::Runs {
            continue;
        }
        let mut rolls = Recorder::counting();
        let expected = run(&made, Order::InOrder, &mut rolls).ending;
        for order in [Order::Reversed, Order::Shuffled(index)] {
            let found = run(&made, order, &mut rolls).ending;
            assert_eq!(expected, found, "case {index}\n{}", print::program(&made.program));
        }
    }
}

#[test]
fn a_printed_device_program_parses_to_itself() {
    for index in 0..500 {
        let text = print::program(&made(3, index).program);
        let again = parse::program(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(print::program(&again), text);
        assert_ne!(text, print::program(&made(4, index).program));
    }
}

#[test]
fn any_bytes_make_a_valid_device_program() {
    any_bytes_make_programs::<reference::device::Device>();
}

/// What races by the evaluator races as shaders too.
#[test]
fn shaders_of_programs_that_race_are_seen_to_race() {
    let weights = Weights { stuck: 0, racing: 100, ..Weights::default() };
    let mut tester = Tester::new(Vec::new(), Default::default());
    let (mut raced, mut seen_in_shaders, mut refused) = (0, 0, 0);
    // Of a read whose value nothing uses the passes leave nothing.
    let (mut gone, mut uniform_loads) = (0, 0);
    for index in 0..450 {
        let bytes = case_bytes(9, index);
        let Made { program, input, intent } = program(&mut Unstructured::new(&bytes), &weights);
        assert_eq!(intent, Intent::Races);
        let mut loads = false;
        for kernel in &program.kernels {
            visit::stms(&kernel.body, &mut |stm| {
                loads |= matches!(stm.kind, Kind::UniformLoad { .. });
            });
        }
        let case = case(program, input, index);
        let seen = tester.examine(&case, Depth::Quick);
        assert!(seen.finding().is_none(), "{index}: {:?}", seen.verdict);
        let races = |engine| seen.side(&engine).is_some_and(|side| !side.outcome.races.is_empty());
        raced += u64::from(seen.class == Class::Race);
        uniform_loads += u64::from(seen.class == Class::Race && loads);
        seen_in_shaders += u64::from(races(EngineId::Spirv));
        let skipped = |why| seen.skipped.iter().any(|it| it.not_run.reason.contains(why));
        refused += u64::from(seen.class == Class::Race && skipped("refused"));
        let still = |side: &Answer| side.stage == LAST && side.outcome.races.is_empty();
        if seen.sides.iter().any(still) {
            gone += 1;
            let mut races = seen.sides[0].outcome.races.iter();
            assert!(
                races.all(|race| !race.first.wrote || !race.second.wrote),
                "{index}: two writes are gone"
            );
        }
    }
    println!(
        "{raced} race, {seen_in_shaders} of them as shaders; {refused} refused, {gone} gone; {uniform_loads} have a \
         uniform load"
    );
    assert!(uniform_loads >= 12, "{uniform_loads}");
    assert!(raced > 200 && 5 * seen_in_shaders > 2 * raced, "{raced}, {seen_in_shaders}");
    assert_eq!(raced, seen_in_shaders + refused + gone);
    assert!(gone < raced / 5, "{gone} of {raced}");
}

/// Nothing of a racing program is compared, but it is compiled, and what the passes say is told.
#[test]
fn a_racing_program_that_is_refused_is_told_of() {
    let source = "kernel k(b : block[i32], n : u32) group 2 {
          b.[0] = 1;
          check slice(n, u32 1, u32 1, u32 1);
        }
        let b = alloc i32(1); launch k(b, u32 1) for 2;";
    let program = parse::program(source).expect("it is a program");
    let mut tester = Tester::new(Vec::new(), Default::default());
    let seen = tester.examine(&case(program, Vec::new(), 0), Depth::Quick);
    assert_eq!(seen.class, Class::Race);
    let refused = |engine| {
        let mut skipped = seen.skipped.iter().filter(|it| it.not_run.engine == engine);
        skipped.any(|it| it.not_run.reason.contains("poison_checks refused"))
    };
    assert!(refused(EngineId::Spirv) && refused(EngineId::own(Lang::Device)), "{:?}", seen.verdict);
}

/// A kernel that updates atomics of a block and races beside that is seen to race as a shader, and one that only
/// updates them is not.
#[test]
fn atomics_do_not_hide_a_race_from_shaders() {
    let source = |value: &str| {
        let text = format!(
            "kernel k(count : block[atomic[u32]], b : block[u32]) group 2 {{
               let n = atomic add(count.[0], u32 1);
               b.[{value}] = global_id;
             }}
             let count = alloc atomic[u32](1);
             let b = alloc u32(6);
             launch k(count, b) for 6;"
        );
        parse::program(&text).expect("it is a program")
    };
    let mut tester = Tester::new(Vec::new(), Default::default());
    for (value, race) in [("0", true), ("global_id", false)] {
        let seen = tester.examine(&case(source(value), Vec::new(), 0), Depth::Quick);
        assert!(seen.finding().is_none(), "{:?}", seen.verdict);
        assert_eq!(seen.class == Class::Race, race);
        let side = seen.side(&EngineId::Spirv).expect("its shaders are executed");
        assert_eq!(!side.outcome.races.is_empty(), race);
    }
}

/// A race that only an order shows which is drawn before the shaders are blamed is one of the program: the last
/// invocation writes what the first reads if it is the one that claims the cell, as it is where shaders run reversed.
#[test]
fn a_race_of_an_order_that_is_drawn_later_is_the_verdict() {
    let source = |cell: &str, kind: &str, at: &str| {
        let text = format!(
            "kernel k(xs : block[i32], cell : block[atomic[i32]]) group 8 {{
               {cell}
               let x : i32 = xs.[global_id];
               let was = atomic {kind}({at}, 1 + x);
               if was == 0 {{ if global_id == u32 7 {{ xs.[0] = 1; }} }}
             }}
             let xs = alloc i32(8);
             let cell = alloc atomic[i32](1);
             launch k(xs, cell) for 8;"
        );
        parse::program(&text).expect("it is a program")
    };
    let in_block = source("", "exchange", "cell.[0]");
    let in_group = source("workgroup taken : atomic[i32];", "exchange", "taken");
    let compared = source("", "compare_exchange", "cell.[0], 0");
    let mut tester = Tester::new(Vec::new(), Default::default());
    for program in [in_block, in_group, compared] {
        let mut late = 0;
        // Shaders run reversed, and of the other orders not that one is run at first.
        for schedule in [1, 5, 13, 17, 25, 29] {
            let seen = tester.examine(&case(program.clone(), Vec::new(), schedule), Depth::Quick);
            assert_eq!(seen.verdict, Verdict::Agree, "{schedule}");
            assert_eq!(seen.class, Class::Race, "{schedule}");
            let drawn = "in another order of its threads the program races";
            late += u64::from(seen.skipped.iter().any(|it| it.not_run.reason == drawn));
        }
        assert!(late > 2, "{late}");
    }
}

/// The same of a thread that is stuck: the last invocation divides by zero if it is the one that claims the cell.
#[test]
fn a_thread_that_is_stuck_in_an_order_that_is_drawn_later_is_the_verdict() {
    let source = |cell: &str, kind: &str, at: &str| {
        let text = format!(
            "kernel k(xs : block[i32], cell : block[atomic[i32]]) group 8 {{
               {cell}
               let was = atomic {kind}({at}, 1);
               if was == 0 {{ xs.[0] = 6 / (7 - i32(local_id)); }}
             }}
             let xs = alloc i32(1);
             let cell = alloc atomic[i32](1);
             launch k(xs, cell) for 8;
             result xs : [1] at 0 strides (1);"
        );
        parse::program(&text).expect("it is a program")
    };
    let in_block = source("", "exchange", "cell.[0]");
    let in_group = source("workgroup taken : atomic[i32];", "exchange", "taken");
    let compared = source("", "compare_exchange", "cell.[0], 0");
    let mut tester = Tester::new(Vec::new(), Default::default());
    for program in [in_block, in_group, compared] {
        let mut late = 0;
        for schedule in [1, 5, 13, 17, 25, 29] {
            let case = case(program.clone(), Vec::new(), schedule);
            let seen = tester.examine(&case, Depth::Quick);
            assert_eq!(seen.verdict, Verdict::Agree, "{schedule}");
            assert_eq!(seen.class, Class::Stuck(Cause::DivisionByZero), "{schedule}");
            let (order, _) = seen.wrong_order().expect("it ends well in order");
            assert_ne!(order.engine, EngineId::own(Lang::Device));
            let ends = seen.orders.as_ref().expect("others are run").ends();
            late += u64::from(ends.count() > 1);
        }
        assert!(late > 2, "{late}");
    }
}

/// Every stage and the shaders, in all kinds of styles, give what the program gives.
#[test]
fn all_stages_of_device_programs_agree() {
    let mut tester = Tester::new(Vec::new(), Default::default());
    let (mut compared, mut styled) = (0, 0);
    for index in 0..200 {
        let Made { program, input, .. } = made(5, index);
        let bytes = case_bytes(6, index);
        tester.plan.style = Style::drawn(&bytes[..STYLE_BYTES]);
        styled += u64::from(!tester.plan.style.is_plain());
        let case = case(program, input, index);
        let seen = tester.examine(&case, Depth::Whole);
        assert!(!matches!(seen.verdict, Verdict::Unknown(_)), "{index}: {:?}", seen.verdict);
        if let Verdict::Finding(finding) = &seen.verdict {
            panic!("{index}: {}: {}", finding.signature(), finding.text);
        }
        compared += u64::from(seen.sides.len() > 2);
    }
    assert!(compared > 180 && styled > 40, "{compared} compared, {styled} styled");
}

/// Programs with floats are drawn so that every device has the same of them: of hardly any is it open
/// what a float comes to.
#[test]
fn floats_are_settled() {
    let mut rolls = Recorder::counting();
    let open = (0..PROGRAMS)
        .filter(|index| run(&made(4, *index), Order::InOrder, &mut rolls).stats.open_floats)
        .count() as u64;
    println!("{open} of {PROGRAMS} programs have an open float");
    assert!(open * 100 <= 2 * PROGRAMS, "{open} of {PROGRAMS}");
}

/// Programs take and give every type, as scalars and as arrays, and floats that only the host moves.
#[test]
fn what_programs_take_and_give_is_of_every_type() {
    let mut shares: BTreeMap<String, u64> = BTreeMap::new();
    for index in 0..PROGRAMS {
        let Made { program, input, .. } = made(7, index);
        let mut seen: Vec<String> = Vec::new();
        for param in &program.params {
            seen.push(match &param.given {
                Given::Scalar(sc) => format!("scalar parameter {}", print::scalar(*sc)),
                Given::Array(sc, _) => format!("array parameter {}", print::scalar(*sc)),
                Given::Words(_) => "parameter as words".to_owned(),
            });
        }
        for output in &program.results {
            seen.push(match &output.shown {
                Shown::Scalar(sc, _) => format!("scalar result {}", print::scalar(*sc)),
                Shown::Array { sc, .. } => format!("array result {}", print::scalar(*sc)),
                Shown::Words(..) => "result as words".to_owned(),
            });
        }
        for scalar in input.iter().flat_map(Value::scalars) {
            let Scalar::F32(x) = scalar else { continue };
            let x = x.get();
            seen.push(format!("input {:?}", x.classify()));
            let minus_zero = x == 0.0 && x.is_sign_negative();
            let fraction = x.is_normal() && x.fract() != 0.0;
            seen.extend(minus_zero.then(|| "input -0".to_owned()));
            seen.extend(fraction.then(|| "input fraction".to_owned()));
        }
        seen.sort_unstable();
        seen.dedup();
        seen.into_iter().for_each(|what| *shares.entry(what).or_default() += 1);
    }
    let least = |what: &str| match what {
        _ if what.ends_with("i32") => 15.0,
        _ if what.ends_with("i64") => 2.0,
        _ if what.ends_with("words") => 5.0,
        _ => 6.0,
    };
    let all = ["scalar parameter", "array parameter", "scalar result", "array result"];
    let all = all
        .into_iter()
        .flat_map(|what| ["bool", "i32", "u32", "i64", "f32"].map(|ty| format!("{what} {ty}")));
    let floats = ["Nan", "Infinite", "Subnormal", "Zero", "Normal", "-0", "fraction"];
    let words = ["parameter as words", "result as words"].map(str::to_owned);
    for what in all.chain(floats.map(|what| format!("input {what}"))).chain(words) {
        let share = shares.get(&what).copied().unwrap_or_default();
        at_least(&what, 100.0 * share as f64 / PROGRAMS as f64, least(&what));
    }
}
