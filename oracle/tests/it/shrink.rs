//! What the shrinker leaves.

use oracle::generate::{Weights, case, fun_case};
use oracle::language::{Lang, Listed};
use oracle::shrink::{Effort, Size, shrink};
use reference::fun::syntax::{Fun, Program};
use reference::fun::{eval, types};
use reference::funmem;
use reference::funmem::syntax::FunMem;
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::outcome::{Budget, Cause, Ending, Stuck, Value};
use reference::kit::same::same;

/// The place where a run gets stuck.
fn stuck(program: &Program<Fun>, input: &[Value]) -> Option<Stuck> {
    let budget = Budget { fuel: 1_000_000, memory: 64 << 20 };
    match eval::run(program, input, &budget, &mut Recorder::counting()).ending {
        Ending::Stuck(stuck) => Some(stuck),
        _ => None,
    }
}

/// The first `count` generated programs that get stuck in a thread that is not the first.
fn stuck_programs(count: usize) -> Vec<(Program<Fun>, Vec<Value>, Stuck)> {
    let made = (0..).map(|index| fun_case(9, index, &Weights::default()));
    let stuck = made.filter_map(|made| {
        let at = stuck(&made.program, &made.input)?;
        (at.thread.first() > Some(&1)).then_some((made.program, made.input, at))
    });
    stuck.take(count).collect()
}

#[test]
fn a_program_that_gets_stuck_shrinks_to_a_few_statements_that_get_stuck_alike() {
    for (program, input, at) in stuck_programs(40) {
        let alike = |program: &Program<Fun>, input: &[Value]| {
            stuck(program, input).is_some_and(|other| {
                other.site.cause == at.site.cause && other.thread.first() > Some(&1)
            })
        };
        let mut test = |program: &Program<Fun>, input: &[Value]| {
            types::check(program, &mut Recorder::counting()).expect("only typed ones are tested");
            eval::fit(program, input.to_vec()).expect("the input fits");
            alike(program, input)
        };
        let small = shrink(&program, &input, &mut test, Effort::default());
        assert!(alike(&small.program, &small.input));
        let size = Size::of(&small.program, &small.input);
        assert!(size.statements <= 6, "{}", reference::fun::print::program(&small.program));
        assert!(size <= Size::of(&program, &input));
        let again = shrink(&program, &input, &mut test, Effort::default());
        assert_eq!((again.program, again.input), (small.program, small.input));
    }
}

#[test]
fn what_shows_nothing_less_stays_as_it_is() {
    let (program, input, _) = stuck_programs(1).remove(0);
    let statements = program.body.size();
    let mut all = |other: &Program<Fun>, _: &[Value]| other.body.size() == statements;
    let small = shrink(&program, &input, &mut all, Effort::default());
    assert_eq!(small.program.body.size(), statements);
}

#[test]
fn effort_is_a_bound() {
    let (program, input, _) = stuck_programs(1).remove(0);
    let effort = Effort { tests: 3, candidates: 1000, ..Effort::default() };
    let mut asked = 0;
    let mut test = |_: &Program<Fun>, _: &[Value]| {
        asked += 1;
        false
    };
    let small = shrink(&program, &input, &mut test, effort);
    assert_eq!((small.tests, small.steps), (3, 0));
    assert_eq!(asked, 3);
}

/// Does the heap run of a FUNMEM program see a race?
fn races(program: &Program<FunMem>, input: &[Value]) -> bool {
    let budget = Budget { fuel: 1_000_000, memory: 64 << 20 };
    let mut recorder = Recorder::counting();
    let outcome = funmem::eval::run(program, input, &budget, &mut recorder, Planted::NONE);
    !outcome.races.is_empty()
}

#[test]
fn an_edited_program_that_races_shrinks_as_funmem() {
    let weights = Weights::of(Some(Lang::FunMem));
    let mut sizes = Vec::new();
    for index in 0..200 {
        let made = case(9, index, &weights);
        let program = FunMem::of(&made.program).expect("all are edited").clone();
        if !races(&program, &made.input) {
            continue;
        }
        let mut test = |program: &Program<FunMem>, input: &[Value]| {
            funmem::types::check(program, &mut Recorder::counting()).expect("typed");
            races(program, input)
        };
        let small = shrink(&program, &made.input, &mut test, Effort::default());
        assert!(races(&small.program, &small.input));
        let text = funmem::print::program(&small.program);
        assert!(small.program.body.size() <= 8, "{text}");
        let again = funmem::parse::program(&text).expect("what is printed parses");
        assert!(same(&small.program, &again), "{text}");
        sizes.push(small.program.body.size());
    }
    sizes.sort_unstable();
    assert!(sizes.len() > 20, "enough of them race: {sizes:?}");
    assert!(sizes[sizes.len() / 2] <= 4, "{sizes:?}");
}

/// Three dimensions of which one matters: it is left alone, with an array of one dimension.
#[test]
fn dimensions_that_do_not_matter_are_fixed() {
    let source = "param (n : int) (xs : [2][n][3])
        let (a : [2][n]) = kernel i <= 2 do
          let (b : [n]) = kernel j <= n do
            let (x : int) = xs[i, j, 2]
            let (y : int) = xs[i, j + 1, 3]
            in (x + y)
          let (c : [n]) = b[1 : n : 1]
          in (c)
        let (d : [n][2]) = transpose a
        in (d)";
    let program = reference::fun::parse::program(source).expect("it parses");
    let data = (0..18).collect();
    let input = vec![Value::from(3), Value::ints(vec![2, 3, 3], data)];
    let mut test = |program: &Program<Fun>, input: &[Value]| {
        types::check(program, &mut Recorder::counting()).expect("only typed ones are tested");
        stuck(program, input).is_some_and(|at| {
            at.site.cause == Cause::Index && at.operands == [4, 3] && !at.thread.is_empty()
        })
    };
    assert!(test(&program, &input));
    let small = shrink(&program, &input, &mut test, Effort::default());
    let text = reference::fun::print::program(&small.program);
    assert!(!text.contains("]["), "an array of two dimensions is left:\n{text}");
}
