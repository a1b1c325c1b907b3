//! Device programs keep their meaning through the passes and on every adapter; large ones too.

use crate::common::{array, checked, compile, compile_device, ends_with, on_each_adapter, run_all};
use compiler::pipeline::Stop;
use compiler::route::Plan;
use compiler::run::{Gpu, Options, adapters};
use reference::device::eval::{self, Order};
use reference::kit::derivation::Recorder;
use reference::kit::outcome::{Budget, Ending, Value, Why};
use std::path::Path;
use std::time::{Duration, Instant};

/// Every program of the corpus that runs to its end gives what its header says.
#[test]
fn the_corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/device/pass");
    let mut programs = 0;
    for entry in folder.read_dir().expect("the corpus has a folder for it") {
        let path = entry.expect("it can be listed").path();
        let source = std::fs::read_to_string(&path).expect("it can be read");
        let header = |key: &str| -> Vec<String> {
            let lines = source.lines().filter_map(|line| line.strip_prefix(key));
            lines.map(|line| line.trim().to_owned()).collect()
        };
        let (mut inputs, results) = (header("-- input:"), header("-- result:"));
        if inputs.is_empty() {
            inputs = vec![String::new(); results.len()];
        }
        let stages = compile_device(&source);
        // What keeps a record of its own has been through the passes.
        if let Some(Stop::Refused(pass, refused)) = &stages.stop {
            assert!(source.contains("  record "), "{}: {pass}: {}", path.display(), refused.reason);
            continue;
        }
        programs += 1;
        for (input, result) in inputs.iter().zip(&results) {
            let expected = reference::kit::value::parse_values(result).expect("a list of values");
            let mut open = false;
            run_all(&stages, input, |stage, outcome| match &outcome.ending {
                // Adapters say that they have no 64-bit integers, or a defect.
                Ending::Unknown(Why::NoAdapter(text)) => {
                    assert!(text.contains("64-bit") || text.contains("known defect"), "{text}");
                }
                ending => {
                    // The evaluator, which comes first, says so; an adapter may then have otherwise.
                    open |= outcome.stats.open_floats;
                    let file = path.display();
                    let right = ends_with(outcome, &expected);
                    let excused = open && !outcome.stats.open_floats;
                    assert!(right || excused, "{file} after {stage}: {ending:?}");
                }
            });
        }
    }
    assert!(programs > 0, "no program in {}", folder.display());
}

/// What no shader could be right about is refused, and told.
#[test]
fn what_cannot_be_compiled_is_refused() {
    let doubling: String = (1..20)
        .map(|k| {
            let before = k - 1;
            format!(
                "fn f{k}(x : i32) -> i32 {{
                  let y = call f{before}(x);
                  let z = call f{before}(y);
                  return z;
                }}\n"
            )
        })
        .collect();
    let sources = [
        (
            "kernel k(n : u32) group 1 { check slice(n, u32 1, u32 1, u32 1); } launch k(u32 1) for 1;"
                .to_owned(),
            "a check of a slice whose operands are not all i32",
        ),
        (
            "kernel k(b : block[i32]) group 1 { let c : block[i32] = block(i32, base(b), u32 7); }
            let b = alloc i32(7); launch k(b) for 1;"
                .to_owned(),
            "a block that a kernel makes up",
        ),
        // Elements of i64 take more than those of i32 have.
        (
            "kernel k(b : block[i32]) group 1 {
              let c : block[i64] = block(i64, base(b) + u32 0, length(b) - u32 0);
            }
            let b = alloc i32(7); launch k(b) for 1;"
                .to_owned(),
            "a block that a kernel makes up",
        ),
        (
            "kernel k(b : block[i32], n : u32) group 1 {
              let c : block[i32] = block(i32, base(b) + u32 1 / n, length(b) - u32 1 / n);
            }
            let b = alloc i32(7); launch k(b, u32 1) for 1;"
                .to_owned(),
            "a block that a kernel makes up",
        ),
        (
            format!(
                "fn f0(x : i32) -> i32 {{ return 1 / x; }}
                {doubling}
                kernel k() group 1 {{ let x = call f19(1); }}
                launch k() for 1;"
            ),
            "calls of calls make the program too large: with all of them in place it has 6291390 names, and at most \
             65536 are taken",
        ),
    ];
    for (source, reason) in sources {
        match compile_device(&source).stop {
            Some(Stop::Refused(_, refused)) => assert_eq!(refused.reason, reason),
            other => panic!("{reason}: {other:?}"),
        }
    }
}

/// A poisoned invocation goes round a loop around a barrier as all others do, so where its condition gets stuck it
/// ends for all, and not when its limit of rounds is reached.
#[test]
fn a_condition_without_a_value_ends_its_loop() {
    let conditions = [
        "9 / i > 0",
        "9 / i > 0 fuel u32 100000",
        "(make array[i32, 2](1, 1))[i - 1] > 0",
        "(make array[i32, 2](1, 1))[u32(i) - u32 1] > 0 fuel u32 100000",
        "i64 7 % i64(i) >= i64 0",
    ];
    for condition in conditions {
        let source = format!(
            "kernel k(n : i32) group 2 {{
              loop (i : i32 = n) while {condition} {{ barrier workgroup; }} next (i - 1);
            }}
            launch k(2) for 2;"
        );
        let stages = compile_device(&source);
        let last = stages.device().expect("it is compiled");
        let budget = Budget { fuel: 2_000, ..Budget::default() };
        let outcome = eval::run(last, &[], Order::InOrder, &budget, &mut Recorder::counting());
        assert!(matches!(outcome.ending, Ending::Stuck(_)), "{condition}: {:?}", outcome.ending);
    }
}

/// An invocation that is stuck no longer reads what another one of its group writes.
#[test]
fn a_stuck_invocation_reads_nothing_of_its_group() {
    let stages = compile_device(
        "kernel k(b : block[i32]) group 2 {
           workgroup w : i32;
           workgroup a : array[i32, 2];
           if local_id == u32 0 { w = 1; a[1] = 2; } else {
             let q : i32 = 1 / b.[0];
             let r : i32 = w + a[1];
             b.[1] = r + q;
           }
         }
         param b : [2];
         launch k(b) for 2;
         result b : [2] at 0 strides (1);",
    );
    run_all(&stages, "[0, 5]", |stage, outcome| {
        assert_eq!(outcome.races, [], "after {stage}");
        assert!(matches!(outcome.ending, Ending::Stuck(_)), "after {stage}: {:?}", outcome.ending);
    });
}

/// 2²² threads of a kernel that keeps its groups: 65,536 of them, one more than a grid has in one dimension.
#[test]
fn a_long_grid() {
    let n = 1 << 22;
    let source = "kernel k(xs : block[i32], out : block[i32], n : i32) group 64 {
          if global_id < invocations {
            let i : i32 = i32(group_id * u32 64 + local_id) + 1;
            out.[i - 1] = xs.[n - i] * 3 + i;
          }
        }
        param n : i32;
        param xs : [n];
        let out = alloc i32(n);
        launch k(xs, out, n) for n;
        result out : [n] at 0 strides (1);";
    let stages = compile_device(source);
    let program = checked(&stages);
    let hash = |i: i32| i.wrapping_mul(-1_640_531_527) ^ (i >> 7);
    let xs: Vec<i32> = (0..n).map(hash).collect();
    let expected: Vec<i32> =
        (1..=n).map(|i| xs[(n - i) as usize].wrapping_mul(3).wrapping_add(i)).collect();
    let input = [Value::from(n), array(xs)];
    on_each_adapter("a kernel of 2^22 threads", |gpu| {
        let outcome = gpu.run(program, &input, &Budget::default());
        let id = &gpu.adapter().id;
        assert!(outcome.ending == Ending::Value(vec![array(expected.clone())]), "on {id}");
        assert_eq!((outcome.stats.launches, outcome.stats.invocations), (1, n as u64), "on {id}");
    });
}

/// Of 2²² threads one fails, in the last work group, which lies in the second row of the grid.
#[test]
fn a_failure_at_the_end_of_a_long_grid() {
    let source = "kernel k(out : block[i32], n : i32) group 64 {
          if global_id < invocations {
            let i : i32 = i32(group_id * u32 64 + local_id) + 1;
            check index(i, n - 2);
            out.[i - 1] = i;
          }
        }
        param n : i32;
        let out = alloc i32(n);
        launch k(out, n) for n;";
    let stages = compile_device(source);
    let program = checked(&stages);
    let n = 1 << 22;
    on_each_adapter("a failure in a kernel of 2^22 threads", |gpu| {
        let outcome = gpu.run(program, &[Value::from(n)], &Budget::default());
        let Ending::Stuck(stuck) = outcome.ending else { panic!("{:?}", outcome.ending) };
        assert_eq!(stuck.thread, [n - 1]);
        assert_eq!(stuck.operands, [i64::from(n - 1), i64::from(n - 2)]);
    });
}

/// A block beyond the adapter's limits is refused with the limit, its value and the size.
#[test]
fn a_block_beyond_the_limits() {
    let source = "param (n : int) var b : mem; b <- alloc n; kernel i <= 1 do b[0] <- 1 done";
    let stages = compile(source, &Plan::default());
    let program = checked(&stages);
    on_each_adapter("a block beyond the limits", |gpu| {
        let limits = gpu.adapter().limits;
        let limit = limits.binding_size.min(limits.buffer_size);
        let words = limit / 4 + 1;
        let Ok(n) = i32::try_from(words) else { return };
        let budget = Budget { memory: u64::MAX, ..Budget::default() };
        let outcome = gpu.run(program, &[Value::from(n)], &budget);
        let Ending::Unknown(Why::NoAdapter(text)) = &outcome.ending else {
            panic!("{:?}", outcome.ending)
        };
        assert!(text.contains("storage binding"), "{text}");
        assert!(text.contains(&(u64::from(n.unsigned_abs()) * 4).to_string()), "{text}");
    });
}

/// A work group that is larger than the adapter's.
#[test]
fn a_work_group_beyond_the_limits() {
    let cx = Plan { group: 1024, ..Plan::default() };
    let stages = compile("kernel i <= 5 do check index(i, 9) done", &cx);
    run_all(&stages, "", |stage, outcome| match &outcome.ending {
        Ending::Value(_) => {}
        Ending::Unknown(Why::NoAdapter(text)) => assert!(text.contains("1024 inv"), "{text}"),
        other => panic!("after {stage}: {other:?}"),
    });
}

/// The host of a program gives up in time: a parent that waits for it would take it for hung.
#[test]
fn a_long_host_is_out_of_fuel() {
    let stages = compile_device(
        "let n : i32 = 2000000000;\n\
         loop (i : i32 = 0) while i < n {\n} next (i + 1);\n\
         result 1;\n",
    );
    let program = checked(&stages);
    let budget = Budget { fuel: u64::MAX, ..Budget::default() };
    for adapter in adapters() {
        let options = Options { timeout: Duration::from_secs(2), ..Options::default() };
        let mut gpu = Gpu::open(&adapter.id, options).expect("it was just listed");
        let start = Instant::now();
        let outcome = gpu.run(program, &[], &budget);
        assert_eq!(outcome.ending, Ending::Unknown(Why::Fuel), "{}", adapter.id);
        assert!(start.elapsed() < options.timeout, "it took {:?}", start.elapsed());
        // wgpu must not be dropped while a thread ends.
        std::mem::forget(gpu);
    }
}
