//! Kernels whose checks still stand in them, launched in bare forms or compiled on, end as those do that
//! all passes went over.

use oracle::campaign::draw;
use oracle::check::agree::{StuckPolicy, agree};
use oracle::engine::{Case, Engine, Origin};
use oracle::engines::SpirvEngine;
use oracle::generate::Weights;
use oracle::language::Lang;
use oracle::rolls::Rolls;
use oracle::stages::{CHECKED, LAST, Plan, Stages};
use reference::kit::language::Settings;
use reference::kit::outcome::{Budget, Cause, Ending, Outcome, Value};
use reference::kit::value::parse_values;

/// How the case ends behind the pass, with bare and quiet forms first or not.
fn ends(case: &Case, pass: oracle::engine::StageId, quiet_first: bool) -> Option<Outcome> {
    let stages = Stages::up_to(&case.program, Plan::default(), LAST);
    let stage = stages.list.iter().find(|stage| stage.id == pass)?;
    let mut engine = SpirvEngine::default();
    engine.options.quiet_first = quiet_first;
    Some(engine.run(stage, case, &mut Rolls::default()))
}

#[test]
fn drawn_programs_end_the_same() {
    let weights = Weights::default();
    let mut stuck = 0;
    let mut compared = 0;
    for number in 0..400 {
        let case = draw(31, number, &weights).case;
        let Some(whole) = ends(&case, LAST, true) else { continue };
        // Who races, or gives up, may end in any way.
        if !matches!(whole.ending, Ending::Value(_) | Ending::Stuck(_)) || !whole.races.is_empty() {
            continue;
        }
        for quiet_first in [true, false] {
            let late = ends(&case, CHECKED, quiet_first).expect("the pass is before the last");
            let same = agree(&whole, &late, StuckPolicy::Same);
            same.unwrap_or_else(|why| panic!("program {number}, {quiet_first}: {why:?}"));
            compared += 1;
        }
        stuck += usize::from(matches!(whole.ending, Ending::Stuck(_)));
    }
    assert!(compared > 300 && stuck > 10, "{compared} compared, {stuck} stuck");
}

/// The record of a failed check is read where the host knows of none: its lowest thread, with its operands
/// and the iteration of the nested kernel, of more than one work group.
#[test]
fn a_failed_check_is_told_whole() {
    let source = "param (n : int) (m : int) (xs : [n])
        let (ys : [n][3]) = kernel i <= n do
          let (row : [3]) = kernel j <= 3 do
            let (k : int) = i + j * (i > 70) * m
            let (x : int) = xs[k]
            in (x)
          in (row)
        in (ys)";
    let program = Lang::Fun.parse(source).expect("the program parses");
    let xs = vec!["0"; 200].join(", ");
    let input = parse_values(&format!("200, 1000, [{xs}]")).expect("the input parses");
    let origin = Origin::File(String::new());
    let case = Case {
        program,
        input,
        schedule: 2,
        settings: Settings::default(),
        budget: Budget::default(),
        origin,
    };
    for quiet_first in [true, false] {
        let outcome = ends(&case, CHECKED, quiet_first).expect("it compiles");
        let Ending::Stuck(stuck) = outcome.ending else { panic!("{:?}", outcome.ending) };
        assert_eq!((stuck.site.cause, stuck.thread), (Cause::Index, vec![71, 1]));
        assert_eq!(stuck.operands, [1071, 200]);
    }
}

/// A loop that barriers depend on has a limit of its own, nested ones a root of it each: more rounds are
/// no answer, and no fault.
#[test]
fn running_out_of_rounds_is_told() {
    let source = "kernel k(xs : block[i32], n : u32) group 1 {
          var s : i32 = 0;
          loop (a : u32 = u32 0) while a < u32 1 {
            loop (b : u32 = u32 0) while b < u32 1 {
              loop (i : u32 = u32 0) while i < n {
                barrier storage;
                s = s + 1;
              } next (i + u32 1);
            } next (b + u32 1);
          } next (a + u32 1);
          xs.[0] = s;
        }
        param xs : [1];
        launch k(xs, u32 300) for 1;
        result xs : [1] at 0 strides (1);";
    let program = Lang::Device.parse(source).expect("the program parses");
    let input = parse_values("[0]").expect("the input parses");
    let origin = Origin::File(String::new());
    let case = Case {
        program,
        input,
        schedule: 0,
        settings: Settings::default(),
        budget: Budget::default(),
        origin,
    };
    for pass in [CHECKED, LAST] {
        let outcome = ends(&case, pass, true).expect("it compiles");
        assert!(matches!(outcome.ending, Ending::Unknown(_)), "{pass:?}: {:?}", outcome.ending);
    }
}

/// A check that nothing proves is tested. Where it fails, the kernel that says which one it was starts from
/// the words of before.
#[test]
fn a_test_that_fails_is_made_again() {
    let source = "kernel k(xs : block[i32]) group 1 {
          let v : i32 = xs.[0];
          xs.[0] = v + 1;
          let d : i32 = xs.[1];
          xs.[1] = v / d;
        }
        param xs : [2];
        launch k(xs) for 1;
        result xs : [2] at 0 strides (1);";
    let program = Lang::Device.parse(source).expect("the program parses");
    let ending = |input: &str| {
        let input = parse_values(input).expect("the input parses");
        let (program, origin) = (program.clone(), Origin::File(String::new()));
        let case = Case {
            program,
            input,
            schedule: 0,
            settings: Settings::default(),
            budget: Budget::default(),
            origin,
        };
        ends(&case, CHECKED, true).expect("it compiles").ending
    };
    let Ending::Stuck(stuck) = ending("[5, 0]") else { panic!("it divides by zero") };
    assert_eq!((stuck.site.cause, stuck.operands), (Cause::DivisionByZero, vec![5, 0]));
    let data = vec![6, 2];
    assert_eq!(ending("[5, 2]"), Ending::Value(vec![Value::ints(vec![2], data)]));
}
