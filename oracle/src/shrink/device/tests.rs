//! What the shrinker leaves of programs of the corpus.

use super::super::{Effort, Size};
use super::shrink_device;
use reference::device::eval::{self, Order};
use reference::device::syntax::{Host, Kind, Program, Scope};
use reference::device::visit::any_stm;
use reference::device::{host, parse, print, validate};
use reference::kit::derivation::Recorder;
use reference::kit::header;
use reference::kit::outcome::{Budget, Cause, Cells, Ending, Outcome, Scalar, Value};
use reference::kit::same::same;
use std::path::Path;

/// The programs of a folder of the corpus, by name, each with its first input.
fn programs(folder: &str) -> Vec<(String, Program, Vec<Value>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/device").join(folder);
    let mut files: Vec<_> = folder
        .read_dir()
        .expect("the corpus has a folder for it")
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    files.sort();
    let read = |path: &std::path::PathBuf| {
        let source = std::fs::read_to_string(path).expect("it can be read");
        let header = header::parse(&source, &[]).expect("it has a header");
        let input = header.cases.first().map_or_else(Vec::new, |case| case.input.clone());
        let name = path.file_stem().expect("it is a file").to_string_lossy().into_owned();
        (name, parse::program(&source).expect("it is a program"), input)
    };
    files.iter().map(read).collect()
}

fn program(folder: &str, name: &str) -> (Program, Vec<Value>) {
    let found = programs(folder).into_iter().find(|(other, ..)| other == name);
    let (_, program, input) = found.unwrap_or_else(|| panic!("{folder} has no {name}"));
    (program, input)
}

fn run(program: &Program, input: &[Value]) -> Outcome {
    let budget = Budget { fuel: 200_000, memory: 16 << 20 };
    eval::run(program, input, Order::InOrder, &budget, &mut Recorder::counting())
}

/// Shrinks a program; what is left still shows it, is valid, takes its input, and is read from its
/// text as it is. The answer is its text.
fn shrunk(
    (program, input): &(Program, Vec<Value>),
    test: &mut dyn FnMut(&Program, &[Value]) -> bool,
    statements: usize,
) -> String {
    assert!(test(program, input), "it shows nothing");
    let mut asked = |program: &Program, input: &[Value]| {
        validate::check(program, &mut Recorder::counting()).expect("only valid ones are tested");
        host::fit(program, input.to_vec()).expect("the input fits");
        test(program, input)
    };
    let small = shrink_device(program, input, &mut asked, Effort::default());
    let text = print::program(&small.program);
    assert!(asked(&small.program, &small.input), "it is no longer shown:\n{text}");
    let again = parse::program(&text).unwrap_or_else(|no| panic!("{}:\n{text}", no.message));
    assert!(same(&small.program, &again), "it is not what is read of it:\n{text}");
    let size = Size::of(&small.program, &small.input);
    assert!(size.statements <= statements, "{size:?}:\n{text}");
    let again = shrink_device(program, input, &mut asked, Effort::default());
    assert_eq!((again.program, again.input), (small.program, small.input));
    text
}

/// Is there such a statement in a kernel?
fn any(program: &Program, is: &dyn Fn(&Kind) -> bool) -> bool {
    program.kernels.iter().any(|kernel| any_stm(&kernel.body, &mut |kind| is(kind)))
}

fn barrier(kind: &Kind) -> bool {
    matches!(kind, Kind::Barrier(Scope::Workgroup))
}

/// Does it end with a value that has this number in it?
fn gives(outcome: &Outcome, number: i32) -> bool {
    let has = |value: &Value| match value {
        Value::Scalar(Scalar::I32(k)) => *k == number,
        Value::Array { cells: Cells::I32(data), .. } => data.contains(&number),
        _ => false,
    };
    matches!(&outcome.ending, Ending::Value(values) if values.iter().any(has))
}

fn stuck(outcome: &Outcome, cause: Cause) -> bool {
    matches!(&outcome.ending, Ending::Stuck(stuck) if stuck.site.cause == cause)
}

/// A variable of the program becomes that of the only kernel that names it, or goes.
#[test]
fn a_variable_of_the_program_becomes_local() {
    let (program, input) = program("pass", "program_variables");
    let mut test = |program: &Program, input: &[Value]| {
        let atomic = |kind: &Kind| matches!(kind, Kind::Atomic { .. });
        let ends = matches!(run(program, input).ending, Ending::Value(_));
        any(program, &barrier) && any(program, &atomic) && ends
    };
    let text = shrunk(&(program, input), &mut test, 8);
    assert!(text.starts_with("kernel") && text.contains("  workgroup "), "{text}");
}

#[test]
fn a_barrier_and_a_number() {
    for (name, number, most) in [("tiled_product", 36, 10), ("atomics", 31, 11)] {
        let mut test = |program: &Program, input: &[Value]| {
            any(program, &barrier) && gives(&run(program, input), number)
        };
        shrunk(&program("pass", name), &mut test, most);
    }
}

#[test]
fn a_barrier_that_matters() {
    // Without its barriers it races, with them it does not.
    for name in ["tiled_product", "reduce", "group_scan"] {
        let mut test = |program: &Program, input: &[Value]| {
            let outcome = run(program, input);
            let mut without = program.clone();
            super::code::retain::<Kind>(&mut without, &mut |kind| {
                !matches!(kind, Kind::Barrier(_))
            });
            matches!(outcome.ending, Ending::Value(_))
                && outcome.races.is_empty()
                && !run(&without, input).races.is_empty()
        };
        shrunk(&program("pass", name), &mut test, 8);
    }
}

#[test]
fn a_race() {
    let mut test = |program: &Program, input: &[Value]| !run(program, input).races.is_empty();
    let mut shown = 0;
    for (_, program, input) in programs("race") {
        // Some race in another order alone.
        if test(&program, &input) {
            shrunk(&(program, input), &mut test, 4);
            shown += 1;
        }
    }
    assert!(shown > 15, "{shown}");
}

#[test]
fn stuck_programs_stay_stuck_alike() {
    for (_, program, input) in programs("stuck") {
        let Ending::Stuck(at) = run(&program, &input).ending else { continue };
        let mut test =
            |program: &Program, input: &[Value]| stuck(&run(program, input), at.site.cause);
        // A record that is none takes a block, an operation on it, and a launch.
        let statements = if at.site.cause == Cause::Record { 5 } else { 4 };
        shrunk(&(program, input), &mut test, statements);
    }
}

#[test]
fn structures_and_functions_stay_where_they_matter() {
    let has_call = |kind: &Kind| matches!(kind, Kind::Call { .. });
    for (name, number, most) in [("structs", 40, 10), ("pointers", 114, 9)] {
        let mut test = |program: &Program, input: &[Value]| {
            any(program, &has_call) && gives(&run(program, input), number)
        };
        shrunk(&program("pass", name), &mut test, most);
    }
}

#[test]
fn two_launches() {
    let launches = |program: &Program| {
        program.host.iter().filter(|stm| matches!(stm.kind, Host::Launch(_))).count()
    };
    let mut test = |program: &Program, input: &[Value]| {
        launches(program) == 2 && program.kernels.len() == 2 && gives(&run(program, input), 8)
    };
    shrunk(&program("pass", "histogram"), &mut test, 4);
}

#[test]
fn a_result_that_is_shown_backwards() {
    let source = "let b = alloc i32(482); write b.[1] = 7; result b : [482] at 481 strides (-1);";
    let program = parse::program(source).expect("it is a program");
    let mut test = |program: &Program, input: &[Value]| gives(&run(program, input), 7);
    let text = shrunk(&(program, Vec::new()), &mut test, 2);
    assert!(text.contains("result b : [2] at 0 strides (1);"), "{text}");
}

/// A switch of several cases becomes one of those that matter, with small literals.
#[test]
fn a_switch_is_shrunk() {
    let has_switch = |kind: &Kind| matches!(kind, Kind::Switch(_));
    let mut test = |program: &Program, input: &[Value]| {
        any(program, &has_switch) && gives(&run(program, input), 53)
    };
    let text = shrunk(&program("pass", "switch"), &mut test, 8);
    assert!(!text.contains("2147483647"), "{text}");
}

/// A pass may go wrong with a kernel that is not launched; others go, and functions, all the same.
#[test]
fn a_kernel_may_stay_alone() {
    let stores = |kind: &Kind| matches!(kind, Kind::Store(..));
    for name in ["histogram", "two_bounds", "pointers", "structs"] {
        let mut test = |program: &Program, _: &[Value]| any(program, &stores);
        let text = shrunk(&program("pass", name), &mut test, 3);
        let declared =
            text.lines().filter(|line| line.starts_with("kernel ") || line.starts_with("fn "));
        assert_eq!(declared.count(), 1, "{name}:\n{text}");
    }
}

#[test]
fn nothing_is_left_where_anything_will_do() {
    for folder in ["pass", "race", "stuck"] {
        for (name, program, input) in programs(folder) {
            let small = shrink_device(&program, &input, &mut |_, _| true, Effort::default());
            assert_eq!(print::program(&small.program), "", "{name}");
            assert_eq!(small.input, []);
        }
    }
}

/// Half of all candidates are taken, whatever they say: no way to shrink leads to a panic, or to a
/// program that is not read as it is.
#[test]
fn whatever_is_taken_is_a_program() {
    for (name, program, input) in programs("pass") {
        for seed in 0..4u64 {
            let mut test = |program: &Program, _: &[Value]| {
                let text = print::program(program);
                let again = parse::program(&text)
                    .unwrap_or_else(|no| panic!("{name}: {}\n{text}", no.message));
                assert!(same(program, &again), "{name}: it is not what is read of it:\n{text}");
                let hash = text.bytes().fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
                    (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
                });
                hash >> 32 & 1 == 0
            };
            let effort = Effort { tests: 300, candidates: 3_000, ill_typed: false };
            let small = shrink_device(&program, &input, &mut test, effort);
            host::fit(&small.program, small.input).expect("the input fits");
        }
    }
}

/// What a host variable is assigned is put where it is used, though that is not what it started from.
#[test]
fn what_the_host_assigns_is_put_where_it_is_used() {
    let source = "let n : i32 = 1;\nn = 2;\npar i <= 2 {\n  check index(i + 1, n);\n}\n";
    let program = parse::program(source).expect("it is a program");
    let mut test = |program: &Program, input: &[Value]| match run(program, input).ending {
        Ending::Stuck(stuck) => stuck.thread == [2],
        _ => false,
    };
    shrunk(&(program, Vec::new()), &mut test, 2);
}

/// Of parameters of every type only what matters is left, and plain.
#[test]
fn parameters_of_every_type() {
    let has = |outcome: &Outcome, is: &dyn Fn(Scalar) -> bool| match &outcome.ending {
        Ending::Value(values) => values.iter().flat_map(Value::scalars).any(is),
        _ => false,
    };
    let negative = |scalar| matches!(scalar, Scalar::F32(x) if x.get() < 0.0);
    let large = |scalar| matches!(scalar, Scalar::I64(k) if k > 1 << 31);
    type Is<'t> = &'t dyn Fn(Scalar) -> bool;
    let is: [(&str, Is<'_>, usize); 3] = [
        ("arguments_of_every_type", &negative, 4),
        ("arrays_of_i64", &large, 0),
        ("scalars_at_the_border", &|scalar| scalar == Scalar::Bool(true), 0),
    ];
    for (name, is, most) in is {
        let mut test = |program: &Program, input: &[Value]| has(&run(program, input), is);
        shrunk(&program("pass", name), &mut test, most);
    }
}
