//! FCL, specialised and lowered: it ends as the semantics says, at every stage down to the shaders.

mod levels;
mod loops;
mod memory;
mod orders;
mod warps;
mod whole;

use crate::common::run_from;
use compiler::emit::spirv;
use compiler::lower::fcl as lowering;
use compiler::pass::specialise::specialise;
use compiler::pipeline::{self, Stages};
use compiler::route::{Artifact, Plan};
use compiler::target::Fcl;
use reference::device::eval::{self as device, Order};
use reference::device::syntax::Program as Device;
use reference::fcl::doubles::Format;
use reference::fcl::eval::{Setting, Signature, run_as};
use reference::fcl::location::Machine;
use reference::fcl::syntax::Program;
use reference::fcl::{parse, print, types};
use reference::kit::decisions::{Decisions, Policy};
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::outcome::{Budget, Ending, Outcome, Stuck, Value, Why};
use reference::kit::text::Refused;
use reference::kit::value::{agree_all, parse_values};
use std::collections::BTreeSet;
use std::path::Path;

const MACHINE: Machine = Machine { warp: 4, block: 2, grid: 2 };
const TARGET: Fcl = Fcl { machine: MACHINE, doubles: Format::F32, group_memory: 16_384 };

fn signature(program: &Program) -> Signature {
    let typed = types::infer(program, &mut Recorder::counting());
    let typed = typed.unwrap_or_else(|no| panic!("{}\n{no:?}", print::program(program)));
    let params = typed.params.into_iter().map(|param| param.ty).collect();
    Signature { params, element: typed.element, level: typed.level }
}

fn by_semantics(
    program: &Program,
    signature: &Signature,
    doubles: Format,
    input: &[Value],
) -> Outcome {
    let setting =
        Setting { machine: MACHINE, doubles, order: Order::InOrder, budget: Budget::default() };
    run_as(program, signature, input, &setting, &mut Recorder::counting())
}

/// Both end alike, within the bounds of the semantics.
fn alike(wanted: &Outcome, found: &Ending, what: &str) {
    if let (Ending::Value(wanted_values), Ending::Value(values)) = (&wanted.ending, found) {
        let agree = agree_all(wanted_values, values, [&wanted.tolerances, &[]]);
        assert!(agree.is_ok(), "{what}: {agree:?}");
    } else {
        assert_eq!(end(found), end(&wanted.ending), "{what}");
    }
}

/// The end of a run, without the name of a rule.
fn end(ending: &Ending) -> String {
    match ending {
        Ending::Stuck(Stuck { site, thread, operands, .. }) => {
            format!("stuck: {} of {operands:?} at {:?} in {thread:?}", site.cause.name(), site.span)
        }
        other => format!("{other:?}"),
    }
}

fn lowered_for(target: Fcl, program: &Program, signature: &Signature) -> Result<Device, Refused> {
    lowering::lower(
        program,
        signature,
        target,
        Planted::NONE,
        &mut Decisions::new(Policy::default()),
    )
}

fn compiled(program: &Program, signature: &Signature, target: Fcl) -> Result<Stages, Refused> {
    let lowered = lowered_for(target, program, signature)?;
    Ok(pipeline::stages(Artifact::Device(lowered), &Plan::default()))
}

/// The program ends as the semantics says, for each input: specialised, lowered with and without that, in several
/// orders, and after each pass.
fn agrees(source: &str, inputs: &[&str]) {
    if let Err(no) = compared(source, inputs, TARGET) {
        panic!("{source}\n{no:?}");
    }
}

/// The same, unless it is refused.
fn compared(source: &str, inputs: &[&str], target: Fcl) -> Result<(), Refused> {
    let program = parse::program(source).unwrap_or_else(|no| panic!("{source}\n{no:?}"));
    let signature = signature(&program);
    let special = specialise(&program)?;
    assert_eq!(special.defs.len(), 1);
    // Unfolded chunks keep the turnstiles that they had in functions.
    assert_eq!(self::signature(&special), signature, "{}", print::program(&special));
    for (program, is_special) in [(&program, false), (&special, true)] {
        let text = print::program(program);
        let stages = compiled(program, &signature, target)?;
        assert_eq!(stages.stop, None, "{text}");
        let Some(Artifact::Device(lowered)) = stages.stages.first().map(|stage| &stage.artifact)
        else {
            panic!("the source is of the device language")
        };
        let shown = format!("{text}\n{}", reference::device::print::program(lowered));
        if let Some(Artifact::Shaders(shaders)) = stages.stages.last().map(|stage| &stage.artifact)
        {
            for shader in shaders {
                spirv::validate(&shader.wgsl).unwrap_or_else(|no| panic!("{shown}\n{no:?}"));
            }
        }
        for input in inputs {
            let values = parse_values(input).expect("the test's input parses");
            let wanted = by_semantics(&special, &signature, target.doubles, &values);
            let plain = by_semantics(program, &signature, target.doubles, &values);
            alike(&wanted, &plain.ending, &format!("{text}\nwith {input}"));
            for order in [Order::Reversed, Order::Shuffled(7), Order::Interleaved(3)] {
                let budget = Budget::default();
                let ran = device::run(lowered, &values, order, &budget, &mut Recorder::counting());
                assert_eq!(ran.races, [], "{shown}\nwith {input}, {order:?}");
                alike(&wanted, &ran.ending, &format!("{shown}\nwith {input}, {order:?}"));
            }
            run_from(&stages, &Plan::default(), pipeline::SOURCE, input, |stage, outcome| {
                // Few adapters have doubles.
                let lacks = matches!(&outcome.ending, Ending::Unknown(Why::NoAdapter(_)));
                if lacks && target.doubles == Format::F64 {
                    return;
                }
                assert_eq!(outcome.races, [], "{shown}\nwith {input}, after {stage}");
                let what = format!("{shown}\nwith {input}, after {stage}, special: {is_special}");
                alike(&wanted, &outcome.ending, &what);
            });
        }
    }
    Ok(())
}

/// The programs of the corpus that say no location.
#[test]
fn the_corpus() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/fcl");
    let (mut compared_all, mut refused_all) = (0, BTreeSet::new());
    for folder in ["pass", "stuck"] {
        for entry in corpus.join(folder).read_dir().expect("the corpus has the folder") {
            let path = entry.expect("it can be listed").path();
            let source = std::fs::read_to_string(&path).expect("it can be read");
            let header = |key: &str| -> Vec<&str> {
                source.lines().filter_map(|line| line.strip_prefix(key)).map(str::trim).collect()
            };
            let inputs = match &header("-- input:")[..] {
                [] => vec![""],
                inputs => inputs.to_vec(),
            };
            if !header("-- location:").is_empty() {
                continue;
            }
            let few = Fcl { group_memory: 4 * 24, ..TARGET };
            match compared(&source, &inputs, TARGET).and_then(|()| compared(&source, &inputs, few))
            {
                Ok(()) => compared_all += 1,
                Err(no) => drop(refused_all.insert(format!(
                    "{}: {}",
                    path.file_stem().unwrap_or_default().display(),
                    no.reason
                ))),
            }
        }
    }
    let refused: Vec<String> = refused_all.into_iter().collect();
    assert_eq!(refused, [""; 0]);
    assert!(compared_all > 50, "{compared_all} programs");
}

#[test]
fn elements_of_a_grid() {
    agrees(
        "sig main : int -> [int] -> [int]<grid>
         fun main k xs = push <grid> (map (fn x => x * k + 1) xs)",
        &["3, [1, 2, 3]", "3, []", "-1, [5]"],
    );
    agrees(
        "sig main : [int] -> [(int, bool)]<grid>
         fun main xs = push <grid> (generate (length xs - 1) (fn i => (index xs (i + 1), index xs i < 3)))",
        &["[1, 2, 3, 4]", "[1]", "[]"],
    );
}

#[test]
fn elements_that_get_stuck() {
    agrees(
        "sig main : [int] -> [int]<grid>
         fun main xs = push <grid> (map (fn x => 100 / x + index xs x) xs)",
        &["[1, 2, 3]", "[2, 0, 1]", "[1, 1]", "[1, 9, 0]"],
    );
}

#[test]
fn chunks_of_blocks() {
    agrees(
        "sig main : int -> [int] -> [int]<grid>
         fun main n xs = revDistribute n xs",
        &["2, [1, 2, 3, 4, 5, 6]", "3, [1, 2, 3, 4]", "0, [1]", "-1, [1, 2]", "20, [1]"],
    );
    agrees(
        "sig main : int -> [int] -> [int]<grid>
         fun main n xs =
           concat 3 (generate n (fn i => push <block> (generate (i + 2) (fn j => index xs (i * 3 + j)))))",
        &["0, []", "1, [1, 2, 3]", "2, [1, 2, 3, 4, 5, 6]"],
    );
}

#[test]
fn chunks_that_are_wrong() {
    agrees(
        "sig main : int -> int -> [int] -> [int]<grid>
         fun main m k xs = concat m (map (fn x => push <block> (generate x (fn i => 12 / (k - i)))) xs)",
        &["2, 9, [2, 2, 2]", "2, 1, [2, 2]", "2, 9, [2, 2, 3]", "2, 9, [2, -1]", "-1, 9, [2]", "2, 0, [2, 2]"],
    );
}

#[test]
fn interleaved_chunks() {
    let source = "sig main : int -> int -> [int] -> [int]<grid>
         fun main m k xs =
           interleave m (fn (i, j) => (i * 7 + j * k) % 6) (map (push <block>) (splitUp m xs))";
    agrees(
        source,
        &[
            "3, 1, [1, 2, 3, 4, 5, 6]",
            "3, 2, [1, 2, 3, 4, 5, 6]",
            "3, -1, [1, 2, 3, 4, 5, 6]",
            "2, 1, [1, 2, 3]",
        ],
    );
    agrees(
        "sig main : int -> int -> [int] -> [int]<grid>
         fun main cols rows xs = transposeTiled 2 cols rows xs",
        &[
            "4, 2, [1, 2, 3, 4, 5, 6, 7, 8]",
            "4, 4, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]",
            "2, 2, [1]",
        ],
    );
}

#[test]
fn arrays_of_a_work_group() {
    agrees(
        "sig main : int -> [int] -> [int]<grid>
         fun main k xs =
           concat 20 (map (fn chunk =>
             let a = force (push <block> (map (fn x => x * k) chunk))
                 b = force (push <block> (generate 20 (fn i => index a (19 - i) + index a 0)))
             in push <block> (generate 20 (fn i => index b i - index a ((i + 1) % 20)))) (splitUp 20 xs))",
        &["3, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40]"],
    );
    // The length is the host's.
    agrees(
        "sig main : int -> [int] -> [int]<grid>
         fun main n xs =
           concat n (map (fn chunk =>
             let a = force (push <block> (map (fn x => 60 / x) chunk))
             in push <block> (generate n (fn i => 60 / index a (n - 1 - i)))) (splitUp n xs))",
        &[
            "3, [1, 2, 3, 4, 5, 6]",
            "3, [1, 2, 3, 4, 0, 6]",
            "3, [1, 2, 70, 4, 0, 6]",
            "3, [100, 0, 0]",
        ],
    );
}

#[test]
fn loops_of_a_work_group() {
    agrees(
        "sig main : [int] -> [int]<grid>
         fun main xs = reduceGrid addi xs",
        &[
            "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36]",
            "[1, 2]",
        ],
    );
    agrees(
        "sig main : [int] -> [int]<grid>
         fun main xs = concat 1 (map (fn c => red <block> (fn a => fn b => 1000 / (a - b)) c) (splitUp 8 xs))",
        &["[1, 2, 3, 4, 5, 6, 7, 8]", "[1, 2, 3, 4, 9, 8, 9, 3, 1, 2, 3, 4, 1, 8, 9, 3]"],
    );
}

#[test]
fn loops_of_a_grid() {
    agrees(
        "sig main : [int] -> [int]<grid>
         fun main xs = reduceAll addi 0 xs",
        &[
            "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36]",
            "[1, 2]",
            "[]",
        ],
    );
    agrees(
        "sig main : [int] -> [int]<grid>
         fun main xs = scanAll addi xs",
        &[
            "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36]",
            "[1, 2]",
            "[]",
        ],
    );
    agrees(
        "sig main : int -> [int] -> [int]<grid>
         fun main k xs =
           let r = while (fn a => index a 0 < 100) (fn a => push <grid> (generate (length a + k) (fn i => 2 * index a i))) (push <grid> xs)
           in push <grid> (map (fn x => x + 1) r)",
        &["0, [3, 4]", "1, [3, 4]", "-1, [3, 4, 5, 6]", "0, [200]", "0, []"],
    );
}

#[test]
fn arrays_of_a_thread() {
    agrees(
        "sig main : int -> [int] -> [int]<grid>
         fun main n xs = push <grid> (map (fn x =>
           let a = force (push <thread> (generate 4 (fn i => 24 / (i + x))))
               b = force (push <thread> (generate n (fn i => index a i * 2)))
           in index b (n - 1)) xs)",
        &["3, [1, 2, 3]", "3, [1, -2, 3]", "5, [1, -2, 3]", "0, [1]", "-1, [1]"],
    );
    agrees(
        "sig main : int -> [int] -> [int]<grid>
         fun main n xs = concat 2 (map (fn x => push <block> (generate 2 (fn k =>
           let a = force (push <thread> (generate 4 (fn i => 24 / (i + x))))
               b = force (push <thread> (generate n (fn i => index a i * 2)))
           in index b (n - 1 - k)))) xs)",
        &["3, [1, 2, 3]", "3, [1, -2, 3]", "5, [1, -2, 3]", "1, [1]", "-1, [1]"],
    );
    agrees(
        "sig main : [int] -> [int]<grid>
         fun main xs = concat 2 (map (fn c => push <block> (generate 2 (fn i => foldl (fn a => fn x => a + x / i) i c))) (splitUp 4 xs))",
        &["[1, 2, 3, 4]", "[]"],
    );
    agrees(
        "sig main : [int] -> [int]<grid>
         fun main xs = push <grid> (map (fn c => foldl (fn a => fn x => a + 100 / x) 0 c) (splitUp 4 xs))",
        &["[1, 2, 3, 4]", "[1, 2, 3, 4, 1, 2, 0, 3]"],
    );
}

#[test]
fn forces_at_another_level() {
    agrees(
        "sig main : [int] -> [int]<grid>
         fun main xs = push <grid> (map (fn x => index (force (push <block> [x, x])) 0) xs)",
        &["[1, 2]", "[]"],
    );
    agrees(
        "sig main : [int] -> [int]<grid>
         fun main xs = push <grid> (map (fn x => if x < 5 then x else index (force (push <grid> [x, x])) 0) xs)",
        &["[1, 2]", "[1, 7]"],
    );
    agrees(
        "sig main : [int] -> [int]<grid>
         fun main xs = concat 1 (map (fn c =>
             let a = force (push <grid> c) in push <block> (generate 1 (fn i => index a 0))) (splitUp 1 xs))",
        &["[1, 2]", "[]"],
    );
}

/// One group, one warp or one thread runs all of them.
#[test]
fn programs_below_the_grid() {
    for level in ["block", "warp", "thread"] {
        let at = |source: &str| source.replace("LEVEL", level);
        agrees(
            &at("sig main : int -> [int] -> [int]<LEVEL>
                 fun main k xs =
                   let a = force (push <LEVEL> (map (fn x => 100 / x) xs))
                   in push <LEVEL> (generate (mini (index a 0) 5) (fn i => index a i + k))"),
            &["3, [50, 1, 2]", "3, [100]", "3, [1]", "3, [-1]", "3, [1, 0, 0]", "3, []"],
        );
        agrees(
            &at("sig main : [int] -> [int]<LEVEL>
                 fun main xs = push <LEVEL> (scan <LEVEL> addi xs)"),
            &["[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]", "[]"],
        );
    }
}

#[test]
fn arrays_that_a_branch_chooses() {
    agrees(
        "sig main : int -> [int] -> [int]<grid>
         fun main k xs =
           let ys = if k > 2 then (let n = length xs / k in generate n (fn i => i + n)) else reverse xs
               zs = if k == 1 then force (push <grid> ys) else if k == 0 then [k, 100 / k] else ys
           in push <grid> (map (fn x => x + index zs 0) zs)",
        &["3, [1, 2, 3, 4, 5, 6, 7]", "1, [5, 6]", "2, [5, 6]", "0, [3]", "9, [1]"],
    );
    agrees(
        "sig main : int -> [int] -> [int]<grid>
         fun main k xs =
           if k > 2 then concat k (map (push <block>) (splitUp k xs))
           else if k == 1 then mapPush (fn x => x + 1) (concat 1 (map (push <block>) (splitUp 1 xs)))
           else push <grid> xs",
        &["3, [1, 2, 3, 4, 5, 6, 7]", "1, [5, 6]", "2, [5, 6]", "9, [1]"],
    );
    agrees(
        "sig main : int -> [int] -> [int]<grid>
         fun main k xs = concat 2 (map (fn c =>
             let f = if index c 0 > k then (fn x => x / (index c 1)) else (fn x => x - 1)
                 a = if index c 0 < k then force (push <block> (map f c)) else c
             in push <block> (map (fn x => f x + index a 1) a)) (splitUp 2 xs))",
        &["3, [1, 2, 3, 4, 5, 6, 7]", "1, [5, 0, 2, 0]", "9, [1, 1]"],
    );
    agrees(
        "sig main : int -> [int] -> [int]<thread>
         fun main n xs = concatSeq <thread> n (map (push <thread>) (splitUp n xs))",
        &["2, [1, 2, 3, 4, 5, 6]", "3, [1]", "3, []"],
    );
}

/// Some of them are made of chunks, and others are not.
#[test]
fn chunks_that_an_index_chooses() {
    let source = "sig main : int -> [int] -> [int]<grid>
         fun main m xs =
           concat m [concat 1 (map (fn x => push <warp> [12 / x]) xs), push <block> (generate m (fn i => i))]";
    agrees(source, &["2, [3, 4]", "2, [3, 0]", "2, [3]", "-1, [1]"]);
}

/// Arguments of `concat` stay unevaluated, whoever applies it.
#[test]
fn chunks_of_elements_that_stay_unevaluated() {
    agrees(
        "sig main : int -> [int] -> [int]<grid>
         fun main m xs =
           let made = map (concat m) [generate (1 / index xs 0) (fn i => push <block> (generate m (fn j => j)))]
           in index made 0",
        &["2, [1]", "2, [0]", "-1, [0]"],
    );
}

/// What has no end but a number is refused with it.
#[test]
fn too_much_is_refused() {
    let mut source = "fun f0 x = x / 3\n".to_owned();
    for k in 1..40 {
        let before = k - 1;
        source += &format!("fun f{k} x = f{before} (f{before} x)\n");
    }
    source += "sig main : [int] -> [int]<grid>\nfun main xs = push <grid> (map f39 xs)";
    let program = parse::program(&source).expect("it parses");
    let refused = specialise(&program).expect_err("it is too large");
    assert!(refused.reason.starts_with("more than "), "{}", refused.reason);
    let refused = compiled(&program, &signature(&program), TARGET).expect_err("it is too large");
    assert!(refused.reason.starts_with("more than "), "{}", refused.reason);
    let source = format!(
        "sig main : [int] -> [int]<grid>
         fun main xs = push <grid> ((fn <l> => force . push <{}l>) <{}thread> xs)",
        "1+".repeat(200),
        "1+".repeat(60)
    );
    let program = parse::program(&source).expect("it parses");
    let refused = specialise(&program).expect_err("its types are too large");
    assert_eq!(refused.reason, "the types of this program are too large");
    let mut source = "fun f0 x = x / 3\n".to_owned();
    for k in 1..1000 {
        let before = k - 1;
        source += &format!("fun f{k} x = f{before} (x + {k}) - 1\n");
    }
    source += "sig main : [int] -> [int]<grid>\nfun main xs = push <grid> (map f999 xs)";
    let program = parse::program(&source).expect("it parses");
    assert!(
        specialise(&program).is_err() && compiled(&program, &signature(&program), TARGET).is_err()
    );
}

#[test]
fn arrays_without_elements() {
    agrees(
        "sig main : int -> [(int, bool)]<grid>
         fun main k = push <grid> (if 100 / k > 3 then [] else [])",
        &["1", "0"],
    );
    agrees(
        "sig main : int -> [int]<grid>
         fun main k = push <grid> (map (fn x => x + 1) (if k > 3 then [] else [k, 2]))",
        &["1", "9"],
    );
}

/// Blocks of warps, whose chunks are made of threads; each level may fail.
#[test]
fn chunks_of_chunks() {
    let source = "sig main : int -> int -> [int] -> [int]<LEVEL>
         fun main m k xs =
           let warps = fn block =>
                 concat k (map (fn warp =>
                   concat 1 (map (fn x =>
                     let a = force (push <thread> [x, 12 / x])
                     in push <thread> (generate (a |> index 0 - x + 1) (fn i => 12 / (x - 1)))) warp))
                   (splitUp k block))
           in BODY";
    let source = source.replace("(a |> index 0 - x + 1)", "(index a 0 - x + 1)");
    let inputs = [
        "4, 2, [2, 3, 4, 5, 6, 7, 8, 9]",
        "4, 2, [2, 3, 4, 5, 6, 7, 1, 0]",
        "4, 2, [2, 3, 4, 5, 6, 0, 1, 9]",
        "4, 3, [2, 3, 4, 5, 6, 7, 8, 9]",
        "4, -1, [2, 3, 4, 5, 6, 7, 8, 9]",
        "4, 0, [2, 3, 4, 5]",
    ];
    let of_grid = source.replace("LEVEL", "grid");
    agrees(&of_grid.replace("BODY", "concat m (map warps (splitUp m xs))"), &inputs);
    let of_block = source.replace("LEVEL", "block");
    agrees(&of_block.replace("BODY", "warps xs"), &inputs);
}

/// Doubles are rounded at the border, or are of 64 bits, and are right within the bound of the semantics.
#[test]
fn doubles_and_bools_at_the_border() {
    in_both_formats(
        "sig main : double -> bool -> [(double, bool)] -> [(double, (int, bool))]<grid>
         fun main k up xs = push <grid> (map (fn (x, b) =>
             let y = if up && b then muld x k else divd x k
             in (subd y 0.1, (d2i y, ltd y k || b))) xs)",
        &[
            "2.5f64, true, [0.1f64, -7.0f64, 1e30f64, -1e30f64], [true, false, true, false]",
            "0.1f64, false, [0.35f64, 100.25f64], [false, false]",
            "1.0f64, true, empty[0]f64, []",
        ],
    );
    in_both_formats(
        "sig main : [double] -> [double]<grid>
         fun main xs = concat 4 (map (fn c =>
             let a = force (push <block> (map absd c))
             in push <block> (generate 4 (fn i => mind (index a i) (maxd (index a 0) (index a (3 - i)))))) (splitUp 4 xs))",
        &["[-1.5f64, 2.25f64, 0.1f64, -0.0f64]"],
    );
}

/// The same with doubles of 32 and of 64 bits.
fn in_both_formats(source: &str, inputs: &[&str]) {
    for doubles in [Format::F32, Format::F64] {
        if let Err(no) = compared(source, inputs, Fcl { doubles, ..TARGET }) {
            panic!("{source}\n{no:?}");
        }
    }
}
