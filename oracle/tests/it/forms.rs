//! The fast and the full forms of kernels end as the evaluator does, and a flag of a fast form is confirmed by
//! the full forms or is no answer.

use compiler::pass::bound_loops::Limit;
use compiler::pass::poison_checks::Detail;
use compiler::route::KernelOptions;
use compiler::run::forms::Forms;
use oracle::campaign::draw;
use oracle::check::agree::{StuckPolicy, agree};
use oracle::engine::{Case, Engine, Origin};
use oracle::engines::{LanguageEngine, SpirvEngine, launch_facts};
use oracle::generate::Weights;
use oracle::language::{Lang, Listed};
use oracle::rolls::Rolls;
use oracle::stages::{CHECKED, Plan, Stages};
use reference::device::Device;
use reference::device::eval::{self, Order};
use reference::fun::Fun;
use reference::imp::Imp;
use reference::kit::derivation::Recorder;
use reference::kit::language::Settings;
use reference::kit::outcome::{Budget, Cause, Ending, Outcome, Value, Why};
use reference::kit::value::parse_values;

/// How the case ends by the evaluator where all checks stand in the kernels, by the evaluator with the facts of
/// each launch, and with fast and with full forms.
fn ends(case: &Case) -> Option<[Outcome; 4]> {
    let stages = Stages::up_to(&case.program, Plan::default(), CHECKED);
    let stage = stages.list.last().filter(|stage| stage.id == CHECKED)?;
    let program = Device::of(&stage.artifact)?;
    let mut engine = SpirvEngine::default();
    let mut executed = |first| {
        engine.options.first = first;
        engine.run(stage, case, &mut Rolls::default())
    };
    let [fast, full] = [Detail::Flag, Detail::Site].map(&mut executed);
    let evaluated = LanguageEngine::of::<Device>().run(stage, case, &mut Rolls::default());
    Some([evaluated, launch_facts::run(program, case, KernelOptions::default()), fast, full])
}

fn case(lang: Lang, source: &str, input: &str) -> Case {
    let program = lang.parse(source).expect("the program parses");
    let input = parse_values(input).expect("the input parses");
    let origin = Origin::File(String::new());
    let (settings, budget) = (Settings::default(), Budget::default());
    Case { program, input, schedule: 0, settings, budget, origin }
}

/// Does a program of the device language end otherwise in the reverse order, as one where atomics decide who does what?
fn differs_in_order(case: &Case) -> bool {
    let Some(program) = Device::of(&case.program) else { return false };
    let [one, other] = [Order::InOrder, Order::Reversed].map(|order| {
        eval::run(program, &case.input, order, &case.budget, &mut Recorder::counting()).ending
    });
    one != other
}

#[test]
fn drawn_programs_end_the_same() {
    let weights = Weights::default();
    let mut stuck = 0;
    let mut compared = 0;
    for number in 0..400 {
        let case = draw(31, number, &weights).case;
        let Some([evaluated, others @ ..]) = ends(&case) else { continue };
        if differs_in_order(&case) {
            continue;
        }
        // A program that races, or gives up, may end in any way.
        let ended = matches!(evaluated.ending, Ending::Value(_) | Ending::Stuck(_));
        if !ended || !evaluated.races.is_empty() || evaluated.stats.open_floats {
            continue;
        }
        for (way, other) in ["launch facts", "fast", "full"].iter().zip(&others) {
            if matches!(other.ending, Ending::Unknown(_)) {
                continue;
            }
            let same = agree(&evaluated, other, StuckPolicy::Same);
            same.unwrap_or_else(|why| panic!("program {number}, {way}: {why:?}"));
            compared += 1;
        }
        stuck += usize::from(matches!(evaluated.ending, Ending::Stuck(_)));
    }
    assert!(compared > 600 && stuck > 10, "{compared} compared, {stuck} stuck");
}

/// The record of a failed check says its lowest thread, with its operands and the iteration of the nested
/// kernel, of more than one work group.
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
    let xs = vec!["0"; 200].join(", ");
    let case = Case { schedule: 2, ..case(Fun::LANG, source, &format!("200, 1000, [{xs}]")) };
    for outcome in ends(&case).expect("it compiles") {
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
    let [_, _, fast, full] = ends(&case(Device::LANG, source, "[0]")).expect("it compiles");
    for outcome in [fast, full] {
        assert!(matches!(outcome.ending, Ending::Unknown(_)), "{:?}", outcome.ending);
    }
}

/// A check that nothing proves sets the flag where it fails. The program then starts again from its input.
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
    let ending = |input: &str| {
        let [.., fast, _] = ends(&case(Device::LANG, source, input)).expect("it compiles");
        fast.ending
    };
    let Ending::Stuck(stuck) = ending("[5, 0]") else { panic!("it divides by zero") };
    assert_eq!((stuck.site.cause, stuck.operands), (Cause::DivisionByZero, vec![5, 0]));
    let data = vec![6, 2];
    assert_eq!(ending("[5, 2]"), Ending::Value(vec![Value::ints(vec![2], data)]));
}

/// Kernels with barriers, work-group memory and calls: what fails there is told by both forms, and what does not
/// fail has no flag.
#[test]
fn kernels_with_barriers_have_both_forms() {
    let source = "fn double(p : ptr[private, i32]) { *p = *p * 2; }
        kernel k(xs : block[i32], n : i32) group 4 {
          workgroup w : array[i32, 4];
          private p : i32;
          w[local_id] = xs.[i32(global_id)];
          barrier workgroup;
          let other : i32 = w[(local_id + u32 1) % u32 4];
          p = other;
          call double(&p);
          xs.[i32(global_id)] = p / n;
          barrier storage;
        }
        param xs : [8];
        param n : i32;
        launch k(xs, n) for 8;
        result xs : [8] at 0 strides (1);";
    let ends = |n: i32| {
        let input = format!("[1, 2, 3, 4, 5, 6, 7, 8], {n}");
        ends(&case(Device::LANG, source, &input))
            .expect("it compiles")
            .map(|outcome| outcome.ending)
    };
    let value = Value::ints(vec![8], vec![4, 6, 8, 2, 12, 14, 16, 10]);
    for ending in ends(1) {
        assert_eq!(ending, Ending::Value(vec![value.clone()]));
    }
    for ending in ends(0) {
        let Ending::Stuck(stuck) = ending else { panic!("{ending:?}") };
        assert_eq!((stuck.site.cause, stuck.thread), (Cause::DivisionByZero, vec![1]));
    }
    let case = case(Device::LANG, source, "[1, 2, 3, 4, 5, 6, 7, 8], 1");
    let stages = Stages::up_to(&case.program, Plan::default(), CHECKED);
    let program = stages.list.last().and_then(|stage| Device::of(&stage.artifact));
    let program = program.expect("it compiles");
    let forms = Forms::of(program, KernelOptions::default());
    let fast = |n: u32| forms.fast(0, 4, (8, &[8, 8, n])).expect("it compiles");
    assert!(!fast(1).form.sets_flag && fast(0).form.sets_flag, "{}", fast(1).form.wgsl);
    assert!(!fast(1).form.wgsl.contains("alive"), "{}", fast(1).form.wgsl);
}

/// Counted loops need no check, and others do.
#[test]
fn counted_loops_have_no_flag() {
    let source = "kernel k(xs : block[i32], n : i32) group 4 {
          if global_id < invocations {
            var s : i32 = 0;
            loop (r : u32 = u32 0) while r < u32(n) { s = s + i32(r); } next (r + u32 1);
            xs.[i32(global_id)] = s;
          }
        }
        param xs : [8];
        param n : i32;
        launch k(xs, n) for 8;
        result xs : [8] at 0 strides (1);";
    let case = case(Device::LANG, source, "[1, 2, 3, 4, 5, 6, 7, 8], 3");
    let stages = Stages::up_to(&case.program, Plan::default(), CHECKED);
    let program = stages.list.last().and_then(|stage| Device::of(&stage.artifact));
    let program = program.expect("it compiles");
    let sets_flag = |rounds: u32, n: u32| {
        let rounds = Limit { rounds, iterations: None };
        let forms = Forms::of(program, KernelOptions { rounds, ..KernelOptions::default() });
        let fast = forms.fast(0, 8, (8, &[8, 8, n])).expect("it compiles");
        (fast.form.sets_flag, fast.form.wgsl.contains("rounds_left"))
    };
    assert_eq!(sets_flag(1 << 24, 3), (false, false));
    assert_eq!(sets_flag(1 << 24, 4096), (false, false));
    assert_eq!(sets_flag(1 << 24, 4097), (true, true));
    assert_eq!(sets_flag(5, 3), (true, true));
    for outcome in ends(&case).expect("it compiles") {
        assert!(matches!(outcome.ending, Ending::Value(_)), "{:?}", outcome.ending);
    }
}

/// Blocks that the rounds of a loop allocate are freed when nothing reaches them any more: by the evaluator and
/// with shaders, of a program whose blocks would not fit all at once.
#[test]
fn blocks_of_earlier_rounds_make_room() {
    let source = "param (n : int) (rounds : int) (xs : mem [n])
        var from : mem;
        from <- xs;
        for round <= rounds do
          var to : mem;
          to <- alloc n;
          kernel i <= n do
            var x : int;
            x <- from[i - 1];
            to[i - 1] <- x + round
          done;
          from <- to
        done
        results (from : [n] @ 0 + {(n : 1)})";
    let xs = vec!["1"; 1000].join(", ");
    let ended = |memory| {
        let case = case(Imp::LANG, source, &format!("1000, 300, [{xs}]"));
        let budget = Budget { memory, ..case.budget };
        ends(&Case { budget, ..case }).expect("it compiles").map(|outcome| outcome.ending)
    };
    for ending in ended(1 << 19) {
        assert_eq!(ending, Ending::Value(vec![Value::ints(vec![1000], vec![45_151; 1000])]));
    }
    for ending in ended(4 * 1000) {
        assert!(matches!(ending, Ending::Unknown(Why::Memory(_))), "{ending:?}");
    }
}
