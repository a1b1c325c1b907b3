//! Copies at the top of a program become copies of the host, and keep their meaning.

use crate::common::{compile, gets_stuck, gives, on_each_adapter, run_from};
use compiler::pipeline::CHECKED;
use compiler::route::{Artifact, Plan};
use reference::device::syntax::{Host, Program};
use reference::imp::eval::{self, Order};
use reference::kit::derivation::Recorder;
use reference::kit::outcome::{Budget, Ending, Value};
use reference::kit::value::parse_values;

/// Copies `n` by `m` elements of a block of 24.
fn copy(read: &str, write: &str) -> String {
    format!(
        "param (n : int) (m : int) (o : int) (s : int) (t : int) (xs : mem [24])
         var out : mem;
         out <- alloc 24;
         kernel i <= n do kernel j <= m do
           var e : int;
           e <- xs[{read}];
           out[{write}] <- e
         done done
         results (out : [24] @ 0 + {{(24 : 1)}})"
    )
}

/// The device program of the pass after which kernels have all of their checks.
fn checked(source: &str) -> Program {
    let stages = compile(source, &Plan::default());
    match &stages.by(CHECKED).expect("it compiles").artifact {
        Artifact::Device(program) => program.clone(),
        other => panic!("{other:?}"),
    }
}

/// Does the host copy?
fn is_copied(source: &str) -> bool {
    let program = checked(source);
    program.kernels.is_empty() && program.host.iter().any(|stm| matches!(stm.kind, Host::Copy(_)))
}

/// Random numbers, the same in each run.
struct Draw(u64);

impl Draw {
    fn of<T: Copy>(&mut self, from: &[T]) -> T {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        from[(self.0 >> 33) as usize % from.len()]
    }
}

/// Languages have rules of their own.
fn same(a: &Ending, b: &Ending) -> bool {
    match (a, b) {
        (Ending::Stuck(a), Ending::Stuck(b)) => {
            (a.site, &a.thread, &a.operands) == (b.site, &b.thread, &b.operands)
        }
        (a, b) => a == b,
    }
}

/// Whatever it is given, a copy ends as in IMP, and races where it does there.
#[test]
fn a_copy_ends_as_in_imp() {
    let reads = ["o + (i - 1) * s + (j - 1) * t", "o * s + (i - 1) * (s * t) + (j - 1)"];
    let writes = ["(i - 1) * m + (j - 1)", "23 + (i - 1) * -6 + (j - 1) * (t * -1)", "(j - 1) * s"];
    let extremes = [i32::MIN, i32::MAX, -65_536, 65_536];
    let mut draw = Draw(1);
    let (mut values, mut stuck, mut raced) = (0, 0, 0);
    for source in reads.iter().flat_map(|read| writes.map(|write| copy(read, write))) {
        assert!(is_copied(&source), "{source}");
        let program = reference::imp::parse::program(&source).expect("the test's program parses");
        let stages = compile(&source, &Plan::default());
        for _ in 0..60 {
            let size = |draw: &mut Draw| draw.of(&[0, 1, 1, 2, 3, 4, -1]);
            let (n, m) = (size(&mut draw), size(&mut draw));
            let mut number = |least: i32| match draw.of(&[0, 1, 2, 3]) {
                0 => draw.of(&extremes),
                _ => least + draw.of(&[0, 1, 2, 3, 5]),
            };
            let (o, s, t) = (number(0), number(-2), number(-1));
            let xs: Vec<String> = (1..=24).map(|k| k.to_string()).collect();
            let input = format!("{n}, {m}, {o}, {s}, {t}, [{}]", xs.join(", "));
            let of_imp = eval::run(
                &program,
                &parse_values(&input).expect("the test's input parses"),
                Order::InOrder,
                &Budget::default(),
                &mut Recorder::counting(),
            );
            run_from(&stages, &Plan::default(), "lower", &input, |stage, outcome| {
                if !of_imp.races.is_empty() {
                    raced += 1;
                    return assert!(
                        matches!(outcome.ending, Ending::Stuck(_)) || !outcome.races.is_empty(),
                        "{stage}: {input}\n{source}\n{:?}",
                        of_imp.races
                    );
                }
                assert!(
                    same(&outcome.ending, &of_imp.ending) && outcome.races.is_empty(),
                    "{stage}: {input}\n{source}\n{outcome:?}\n{:?}",
                    of_imp.ending
                );
                if matches!(of_imp.ending, Ending::Value(_)) { values += 1 } else { stuck += 1 }
            });
        }
    }
    assert!(values > 400 && stuck > 200 && raced > 20, "{values}, {stuck}, {raced}");
}

/// The size of an inner dimension is looked at where its kernel starts.
#[test]
fn a_negative_inner_size_is_found_in_its_thread() {
    let source = "param (n : int) (xs : mem [24])
        var out : mem;
        out <- alloc 24;
        kernel i <= 1 do kernel j <= 2 do kernel k <= n do
          var e : int;
          e <- xs[(i - 1) * 2 + (j - 1) + (k - 1)];
          out[k - 1] <- e
        done done done
        results (out : [24] @ 0 + {(24 : 1)})";
    let xs = vec!["7"; 24].join(", ");
    gets_stuck(source, &format!("-1, [{xs}]"), ("size", "kernel k"), &[1, 1], &[-1]);
    gives(source, &format!("0, [{xs}]"), &format!("[{}]", vec!["0"; 24].join(", ")));
}

/// What is no copy, or one whose offsets are not linear, stays a kernel.
#[test]
fn what_is_no_copy_stays_as_it_is() {
    for (read, write) in
        [("i * i", "j - 1"), ("0", "i + (j - 1) * i"), ("0", "j * 2"), ("e", "j - 1")]
    {
        let source = copy(read, write);
        assert!(!is_copied(&source), "{source}");
    }
    assert!(is_copied(&copy("0", "j - 1")));
    let other = [
        ("<- e\n", "<- e + 1\n"),
        ("<- e\n", "<- n\n"),
        ("j <= m", "j <= i"),
        ("j <= m", "j <= m + 1"),
        ("var e : int;\n", "var e : int;\n e <- 1;\n"),
        ("e <- xs[0]", "e <- out[0 / n]"),
    ];
    for (from, to) in other {
        let source = copy("0", "j - 1").replace(from, to);
        assert!(source.contains(to) && !is_copied(&source), "{source}");
    }
}

/// A copy from no block gets stuck, if there is something to copy.
#[test]
fn a_block_that_may_be_none_is_asked_for() {
    let source = "param (n : int)
        var none : mem;
        var out : mem;
        out <- alloc 2;
        kernel i <= n do
          var e : int;
          e <- none[i - 1];
          out[i - 1] <- e
        done
        results (out : [2] @ 0 + {(2 : 1)})";
    gets_stuck(source, "1", ("block", "none["), &[1], &[]);
    gives(source, "0", "[0, 0]");
}

/// A copy on the device, whose work groups are more than a grid has in one dimension.
#[test]
fn a_long_copy() {
    let (rows, columns) = (1 << 11, (1 << 11) + 32);
    let source = format!(
        "param (xs : mem [{rows}][{columns}])
         var out : mem;
         out <- alloc {rows} * {columns};
         kernel i <= {columns} do kernel j <= {rows} do
           var e : int;
           e <- xs[(i - 1) + (j - 1) * {columns}];
           out[(i - 1) * {rows} + (j - 1)] <- e
         done done
         results (out : [{columns}][{rows}] @ 0 + {{({columns} : {rows}) ({rows} : 1)}})"
    );
    let stages = compile(&source, &Plan::default());
    let program = crate::common::checked(&stages);
    let (rows, columns) = (rows as usize, columns as usize);
    let xs: Vec<i32> =
        (0..rows * columns).map(|k| (k as i32).wrapping_mul(-1_640_531_527)).collect();
    let transposed = (0..rows * columns).map(|k| xs[k / rows + k % rows * columns]).collect();
    let expected = Value::ints(vec![columns, rows], transposed);
    let input = [Value::ints(vec![rows, columns], xs)];
    on_each_adapter("a copy of 2^22 elements", |gpu| {
        let outcome = gpu.run(program, &input, &Budget::default());
        assert!(outcome.ending == Ending::Value(vec![expected.clone()]), "on {}", gpu.adapter().id);
    });
}
