//! What programs of each room cost, counted by hand on the default machine: warps of 32 threads, l = 400.

use reference::cost::graph::Greedy;
use reference::cost::{Accesses, Machine, Pricer, Report, Transfers, World};
use reference::device::Device;
use reference::fun::Fun;
use reference::funmem::FunMem;
use reference::imp::Imp;
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::language::{How, Language, Settings};
use reference::kit::memory::Memory;
use reference::kit::outcome::{Budget, Ending, Value};
use reference::kit::value::parse_values;
use reference::translate::fun_to_funmem;

fn priced<L: Language>(program: &L::Program, input: Vec<Value>) -> Report {
    let report = priced_in::<L>(program, input, World::Device);
    // The graph is a chain, and what it takes is the time.
    let chain = report.graph.schedule(1, Greedy::DepthFirst).expect("it is small");
    assert_eq!((chain.time, report.graph.depth()), (report.times.paper, report.times.paper));
    report
}

fn priced_in<L: Language>(program: &L::Program, input: Vec<Value>, world: World) -> Report {
    let input = L::fit(program, input).expect("it fits");
    let how = How {
        variant: L::VARIANTS[0].name,
        schedule: 1,
        budget: &Budget::default(),
        settings: &Settings::default(),
        planted: Planted::NONE,
        memory: &mut Memory::default(),
    };
    let mut recorder = Recorder::tapped(Box::new(Pricer::new(Machine::default(), world)));
    let outcome = L::run(program, &input, how, &mut recorder);
    assert!(matches!(outcome.ending, Ending::Value(_)), "{:?}", outcome.ending);
    let pricer = Pricer::taken_from(&mut recorder).expect("it carries one");
    pricer.report(outcome.stats.statements).expect("it is small")
}

fn price<L: Language>(source: &str, input: &str) -> Report {
    let program = L::parse(source).expect("it parses");
    L::check(&program, &mut Recorder::counting()).expect("it is well typed");
    priced::<L>(&program, parse_values(input).expect("values"))
}

fn fun(source: &str, input: &str) -> Report {
    let program = Fun::parse(source).expect("it parses");
    priced::<FunMem>(
        &fun_to_funmem::transform_program(&program, Planted::NONE),
        parse_values(input).expect("values"),
    )
}

fn iota(n: u64) -> String {
    format!("{n}, [{}]", (1..=n).map(|i| i.to_string()).collect::<Vec<_>>().join(", "))
}

const IMP: &str = "param (n : int) (xs : mem [n])
var ys : mem;
ys <- alloc n;
kernel i <= n do var x : int; x <- xs[i - 1]; ys[i - 1] <- x done
results (ys : [n] @ 0 + {(n : 1)})";

/// Three statements and two accesses a thread, two warps, each access of which takes a request.
#[test]
fn a_copy_by_imp() {
    let report = price::<Imp>(IMP, &iota(64));
    let [kernel] = &report.kernels[..] else { panic!("{:?}", report.kernels) };
    let counted = (kernel.threads, kernel.warps, kernel.groups, kernel.rounds, kernel.longest);
    assert_eq!(counted, (64, 2, 1, 1, 5));
    let accesses =
        Accesses { global: 128, requests: 4, misses: 4, steps: 4, ..Accesses::default() };
    assert_eq!(kernel.accesses, accesses);
    assert_eq!((kernel.times.paper, kernel.times.umm), (3 + 2 * 400, 3 + 2 * 401));
    assert_eq!(kernel.times.cal, kernel.times.umm as f64);
    // The host: a declaration, the allocation (a unit for its words), the kernel. The parameter is there.
    assert_eq!(report.host.paper, 3 + 1);
    assert_eq!((report.work, report.depth), (3 + 1 + 64 * 5, 3 + 1 + 5));
    assert_eq!((report.peak, report.allocated), (128, 128));
    // In `paper` both blocks go to the device; else what it does not have: `xs`. The result comes back.
    let Transfers { to_device, to_host, times } = report.transfers;
    assert_eq!((to_device, to_host), ([128, 64], [64, 64]));
    let once = 10_000 + 16;
    assert_eq!((times.paper, times.umm), (3 * once, 2 * once));
    let of = |report: &Report| report.host.umm + report.transfers.times.umm;
    assert_eq!(report.times.umm, of(&report) + kernel.times.umm);
}

/// The same program in each language makes the same requests.
#[test]
fn a_copy_in_every_language() {
    let source = "param (n : int) (xs : [n])
let (ys : [n]) = kernel i <= n do let (x : int) = xs[i] in (x) in (ys)";
    let of_fun = fun(source, &iota(100));
    let of_imp = price::<Imp>(IMP, &iota(100));
    let dev = "kernel twin(xs : block[i32], ys : block[i32]) group 32 {
  if global_id < invocations {
    ys.[global_id] = xs.[global_id];
  }
}
param n : i32;
param xs : [n];
let data : block[i32] = xs;
let ys = alloc i32(n);
launch twin(data, ys) for n;
result ys : [n] at 0 strides (1);";
    let of_dev = price::<Device>(dev, &iota(100));
    for report in [&of_fun, &of_imp, &of_dev] {
        // What is inserted copies results once more: that is another one.
        let kernel = &report.kernels[0];
        let counted = (kernel.accesses.global, kernel.accesses.requests, kernel.warps);
        assert_eq!(counted, (200, 8, 4), "{kernel:?}");
        assert_eq!(report.transfers.to_device[1], 100, "{:?}", report.transfers);
        assert_eq!(report.transfers.to_host[1], 100, "{:?}", report.transfers);
    }
}

/// Columns of a matrix are far apart: each thread of a warp asks for a line of its own.
#[test]
fn strides_cost_requests() {
    let rows = "param (n : int) (m : int) (xs : [n][m])
let (ys : [n]) = kernel i <= n do
  let (s : int) = loop (a : int = 0) for j <= m do
    let (x : int) = xs[i, j]
    let (b : int) = a + x
  in (b)
in (s) in (ys)";
    let columns = rows.replace("[n][m]", "[m][n]").replace("xs[i, j]", "xs[j, i]");
    let row = vec!["1"; 64].join(", ");
    let input = format!("64, 64, [{}]", vec![format!("[{row}]"); 64].join(", "));
    let [by_rows, by_columns] = [rows, &columns].map(|source| fun(source, &input));
    let requests = |report: &Report| report.kernels[0].accesses.requests;
    // Two warps: 64 rounds, then the result.
    assert_eq!(requests(&by_rows), 64 * 64 + 2);
    assert_eq!(requests(&by_columns), 64 * 2 + 2);
    let time = |report: &Report| (report.kernels[0].times.paper, report.kernels[0].times.umm);
    assert_eq!(time(&by_rows).0, time(&by_columns).0, "the paper sees no strides");
    assert_eq!(time(&by_rows).1 - time(&by_columns).1, 64 * (64 - 2));
    // What a statement takes is its part of all.
    let [write, read, ..] = &by_rows.statements[..] else { panic!("{:?}", by_rows.statements) };
    assert_eq!((read.accesses.requests, write.accesses.requests), (64 * 64, 2));
    assert_eq!((read.time, write.time), (64.0 * (64.0 + 399.0), 2.0 + 399.0));
}

/// Blocks of threads live as often as threads run at once.
#[test]
fn what_threads_allocate_counts_for_those_that_run() {
    let source = "param (n : int)
var ys : mem;
ys <- alloc n;
kernel i <= n do var own : mem; own <- alloc 10; own[0] <- i; ys[i - 1] <- i done
results (ys : [n] @ 0 + {(n : 1)})";
    let report = price::<Imp>(source, "20");
    assert_eq!((report.peak, report.allocated), (20 + 20 * 10, 20 + 20 * 10));
    let report = price::<Imp>(source, "20000");
    assert_eq!(report.peak, 20_000 + 16_384 * 10);
}

/// A tree over work-group memory: its words lie in different banks, and its barriers part what the warps do.
#[test]
fn group_memory_is_priced_by_banks() {
    let source = |stride: &str| {
        format!(
            "kernel k(ys : block[i32]) group 64 {{
  workgroup tile : array[i32, 2048];
  tile[local_id * u32 {stride}] = 1;
  barrier workgroup;
  if global_id < invocations {{
    ys.[global_id] = tile[(u32 63 - local_id) * u32 {stride}];
  }}
}}
param n : i32;
let ys = alloc i32(n);
launch k(ys) for n;
result ys : [n] at 0 strides (1);"
        )
    };
    let [near, far] = ["1", "32"].map(|stride| price::<Device>(&source(stride), "64"));
    let of = |report: &Report| report.kernels[0].accesses;
    assert_eq!((of(&near).group, of(&near).group_requests), (128, 4));
    assert_eq!((of(&far).group, of(&far).group_requests), (128, 128));
    assert_eq!([of(&near).conflicts, of(&far).conflicts], [0, 128 - 4]);
    for report in [&near, &far] {
        assert_eq!((report.kernels[0].barriers, report.kernels[0].group_words), (1, 2048));
    }
    // Two steps, of two requests each or of 64.
    let time = |report: &Report| report.kernels[0].times.umm;
    assert_eq!(time(&far) - time(&near), 2 * (64 - 2));
    let paper = |report: &Report| report.kernels[0].times.paper;
    assert_eq!(paper(&far) - paper(&near), 2);
}

/// A block that the device wrote is brought to the host when it reads a word of it, once.
#[test]
fn the_host_waits_for_what_the_device_wrote() {
    let source = "param (n : int)
let (ys : [n]) = kernel i <= n do in (i)
let (a : int) = ys[1]
let (b : int) = ys[2]
let (c : int) = a + b
in (c)";
    let report = fun(source, "64");
    assert_eq!(report.transfers.to_host, [64, 64]);
    assert_eq!(report.transfers.to_device, [64, 0]);
}

/// On the host the threads of a kernel are parts of the graph. Two processors take half of what one takes, and the edges
/// of forks and joins.
#[test]
fn kernels_on_the_host_are_scheduled() {
    let program = Imp::parse(IMP).expect("it parses");
    let input = parse_values(&iota(64)).expect("values");
    let report = priced_in::<Imp>(&program, input, World::Host);
    let [depth_first, breadth_first] = report.schedules.expect("it runs on the host");
    // Five edges a thread, so six vertices.
    assert_eq!(report.graph.vertices(), 64 * 6 + 2 * 63 + 5);
    for scheduled in [depth_first, breadth_first] {
        let half = (64 * 5 + 4 * 63) / 2;
        assert!((half..half + 12).contains(&scheduled.time), "{scheduled:?}");
    }
}

/// Threads that part meet again: behind a branch in the same round of a loop, and where the kernel stores their results.
#[test]
fn threads_that_part_meet_again() {
    let in_a_loop = "param (n : int) (xs : mem [n])
var ys : mem;
ys <- alloc n;
kernel i <= n do
  var c : int; var x : int; var y : int;
  c <- i % 2;
  for j <= 8 do
    if c then x <- xs[j - 1] else fi;
    y <- xs[j]
  done;
  ys[i - 1] <- x + y
done
results (ys : [n] @ 0 + {(n : 1)})";
    let report = price::<Imp>(in_a_loop, &iota(32));
    let steps: Vec<_> = report.statements.iter().map(|of| of.accesses.steps).collect();
    assert_eq!(steps, [8, 8, 1], "{:?}", report.statements);
    let behind_a_branch = "param (n : int) (xs : [n])
let (ys : [n]) = kernel i <= n do
  let (c : int) = i % 2
  let (s : int) = if c then let (x : int) = xs[i] in (x) else in (0)
in (s) in (ys)";
    let report = fun(behind_a_branch, &iota(32));
    let [write, read, ..] = &report.statements[..] else { panic!("{:?}", report.statements) };
    assert_eq!((read.accesses.global, read.accesses.steps), (16, 1));
    assert_eq!((write.accesses.global, write.accesses.steps), (32, 1));
}

/// A kernel of IMP with this body and some ints, for so many threads: its times in `paper` and in `umm`.
fn imp_times(body: &str, n: u64) -> (u64, u64) {
    let source = format!(
        "param (n : int) (xs : mem [n])
var ys : mem;
ys <- alloc n;
kernel i <= n do
  var c : int; var d : int; var s : int; var x : int;
  {body}
done
results (ys : [n] @ 0 + {{(n : 1)}})"
    );
    let report = price::<Imp>(&source, &iota(n));
    let times = report.kernels[0].times;
    (times.paper, times.umm)
}

/// What threads execute together before they part, and behind where they meet, counts once (L37, L69).
#[test]
fn common_statements_count_once_where_a_warp_parts() {
    let parted = |before: &str, behind: &str| {
        let sides = "c <- i % 2; if c then x <- xs[i - 1]; s <- 1 else x <- xs[0] fi;";
        imp_times(&format!("{before}{sides}{behind} ys[i - 1] <- x"), 32)
    };
    let many = "s <- s + 1; ".repeat(20);
    let (paper, umm) = parted("", "");
    // Five statements and the branch; a request of both threads' line in each side, with a statement, and one behind.
    assert_eq!(umm, 6 + 3 * (1 + 400) + 1);
    assert_eq!(parted(&many, ""), (paper + 20, umm + 20));
    assert_eq!(parted("", &many), (paper + 20, umm + 20));
    // Four paths.
    let paths = |before: &str| {
        let inner = "if d then x <- xs[i - 1] else x <- xs[0] fi";
        let sides = format!("c <- i % 2; d <- i / 2 % 2; if c then {inner} else {inner} fi;");
        imp_times(&format!("{before}{sides} ys[i - 1] <- x"), 32)
    };
    let (paper, umm) = paths("");
    assert_eq!(paths(&many), (paper + 20, umm + 20));
}

/// Both sides of a branch count where a warp parts, though neither accesses memory; in `paper` the longer one does.
#[test]
fn sides_without_accesses_follow_one_another() {
    let sides = |then: usize, orelse: usize| {
        let [then, orelse] = [then, orelse].map(|n| vec!["s <- s + 1"; n].join("; "));
        imp_times(&format!("c <- i % 2; if c then {then} else {orelse} fi; s <- 2"), 32)
    };
    // Declarations, condition, branch, and the statement behind it.
    let rest = 4 + 2 + 1;
    assert_eq!(sides(10, 10), (rest + 10, rest + 20));
    assert_eq!(sides(10, 3), (rest + 10, rest + 13));
    // Where all threads take one side, only that one counts.
    let one = |side: &str| imp_times(&format!("c <- 1; if c then {side} else s <- 1 fi"), 32);
    assert_eq!(one("s <- 1; s <- 2"), (4 + 2 + 2, 4 + 2 + 2));
}

/// Rounds of a loop without accesses go together as long as threads make them, and what is behind the loop once more.
#[test]
fn threads_leave_a_loop_one_after_the_other() {
    let sum = "for k <= i do s <- s + k; s <- s * 2 done; s <- 1; s <- 2";
    let rest = 4 + 1 + 2;
    assert_eq!(imp_times(sum, 32), (rest + 2 * 32, rest + 2 * 32));
    // Each round has a side for the threads of even numbers, and one for the others, of which the longest has 31 rounds.
    let parted = "c <- i % 2; for k <= i do if c then s <- 1 else s <- 2; s <- 3 fi done";
    assert_eq!(imp_times(parted, 32).1, 4 + 2 + 32 * (1 + 2) + 31);
    // A thread that makes a million rounds is a single run.
    let long = imp_times("for k <= 200000 do s <- s + k done", 32);
    assert_eq!(long, (4 + 1 + 200_000, 4 + 1 + 200_000));
}

/// The same in the device language and in FUNMEM.
#[test]
fn sides_count_in_every_language() {
    let device = |then: &str| {
        let source = format!(
            "kernel k(ys : block[i32]) group 32 {{
  var x : i32 = 0;
  if local_id < u32 16 {{ {then} }} else {{ x = 3; }}
  switch local_id {{ u32 0 {{ {then} }} else {{ x = 4; }} }}
  ys.[global_id] = x;
}}
param n : i32;
let ys = alloc i32(n);
launch k(ys) for n;
result ys : [n] at 0 strides (1);"
        );
        price::<Device>(&source, "32").kernels[0].times
    };
    let [one, many] = [1, 10].map(|n| device(&"x = 1; ".repeat(n)));
    assert_eq!(many.umm - one.umm, 18);
    // In `paper` the store of some threads is behind that of others from then on (L72).
    assert_eq!((one.umm - one.paper, many.paper - one.paper), (2, 18 + 2 * 399));
    let of_fun = |n: usize| {
        let side = |of: &str| -> String {
            (0..n).map(|at| format!("let ({of}{at} : int) = i + 1\n")).collect()
        };
        let (then, orelse) = (side("b"), side("e"));
        let source = format!(
            "param (n : int)
let (ys : [n]) = kernel i <= n do
  let (c : int) = i % 2
  let (s : int) = if c then {then} in (i) else {orelse} in (c)
in (s) in (ys)"
        );
        fun(&source, "32").kernels[0].times
    };
    let [one, many] = [1, 10].map(of_fun);
    assert_eq!((many.paper - one.paper, many.umm - one.umm), (9, 18));
}

/// Work and depth count edges: one for an allocation, however long it takes. Parameters are there before the run (L49).
#[test]
fn depth_is_part_of_work() {
    let source = "param (n : int)
var ys : mem;
ys <- alloc 4000000;
ys[0] <- n
results (ys : [1] @ 0 + {(1 : 1)})";
    let report = price::<Imp>(source, "1");
    // Three statements, an allocation and an access.
    assert_eq!((report.work, report.depth), (5, 5));
    assert_eq!(report.host.paper, 4 + 4);
    let report = price::<Imp>("param (n : int) (xs : mem [n]) skip results (n)", &iota(64));
    assert_eq!((report.work, report.host.paper, report.allocated), (1, 1, 64));
}
