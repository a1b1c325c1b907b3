//! Prices by a part of a run against those by all of it, and which programs have no such part.

use reference::cost::{Machine, Pricer, Report, Sampling, TooLarge, World};
use reference::device::Device;
use reference::fun::Fun;
use reference::funmem::FunMem;
use reference::imp::Imp;
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::language::{How, Language, Settings};
use reference::kit::memory::Memory;
use reference::kit::outcome::{Budget, Ending, Value};
use reference::translate::fun_to_funmem;

fn parsed<L: Language>(source: &str) -> L::Program {
    let program = L::parse(source).expect("it parses");
    L::check(&program, &mut Recorder::counting()).expect("it is well typed");
    program
}

fn run<L: Language>(
    program: &L::Program,
    sizes: &[(&str, i32)],
    sampled: bool,
) -> (Result<Report, TooLarge>, u64) {
    let sizes: Vec<(String, i32)> =
        sizes.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect();
    let input: Vec<Value> = L::takes(program).sized(&sizes).expect("sizes");
    let input = L::fit(program, input).expect("it fits");
    let how = How {
        variant: L::VARIANTS[0].name,
        schedule: 1,
        budget: &Budget { fuel: 2_000_000_000, ..Budget::default() },
        settings: &Settings::default(),
        planted: Planted::NONE,
        memory: &mut Memory::default(),
    };
    // Small enough that programs of some thousand threads run in several rounds.
    let machine = Machine { threads: 1024, warps: 2, ..Machine::default() };
    let mut pricer = Pricer::new(machine, World::Device);
    if sampled {
        pricer = pricer.sampled(Sampling::new(L::regular(program).expect("it is regular")));
    }
    let mut recorder = Recorder::tapped(Box::new(pricer));
    let outcome = L::run(program, &input, how, &mut recorder);
    assert!(matches!(outcome.ending, Ending::Value(_)), "{:?}", outcome.ending);
    let pricer = Pricer::taken_from(&mut recorder).expect("it carries one");
    (pricer.report(outcome.stats.statements), outcome.stats.statements)
}

fn priced<L: Language>(
    program: &L::Program,
    sizes: &[(&str, i32)],
    sampled: bool,
) -> (Report, u64) {
    let (report, statements) = run::<L>(program, sizes, sampled);
    (report.expect("it is small"), statements)
}

/// What docs/cost.md says of the error: of times, work and accesses 2 %; of the lines that are missed, whose reuse between
/// rounds that are left out is guessed, not more than twice as many, nor less than half.
#[track_caller]
fn near<L: Language>(program: &L::Program, sizes: &[(&str, i32)], less: u64) {
    near_by::<L>(program, sizes, less, (0.02, 2));
}

#[track_caller]
fn near_by<L: Language>(
    program: &L::Program,
    sizes: &[(&str, i32)],
    less: u64,
    (error, factor): (f64, u64),
) {
    let (whole, all) = priced::<L>(program, sizes, false);
    let (part, executed) = priced::<L>(program, sizes, true);
    assert!(executed * less < all, "{executed} of {all} statements were executed");
    assert!(whole.kernels.iter().all(|kernel| !kernel.is_sampled()));
    assert!(part.kernels.iter().any(|kernel| kernel.is_sampled()));
    let near = |what: &str, part: f64, whole: f64| {
        assert!((part - whole).abs() <= error * whole + 1.0, "{what}: {part}, and {whole} by all");
    };
    near("paper", part.times.paper as f64, whole.times.paper as f64);
    near("umm", part.times.umm as f64, whole.times.umm as f64);
    near("work", part.work as f64, whole.work as f64);
    near("depth", part.depth as f64, whole.depth as f64);
    assert_eq!((part.peak, part.allocated), (whole.peak, whole.allocated));
    assert_eq!(part.transfers, whole.transfers);
    assert_eq!(part.kernels.len(), whole.kernels.len());
    for (part, whole) in part.kernels.iter().zip(&whole.kernels) {
        assert_eq!((part.threads, part.warps), (whole.threads, whole.warps));
        assert_eq!((part.groups, part.rounds), (whole.groups, whole.rounds));
        near("accesses", part.accesses.global as f64, whole.accesses.global as f64);
        near("requests", part.accesses.requests as f64, whole.accesses.requests as f64);
        near(
            "of groups",
            part.accesses.group_requests as f64,
            whole.accesses.group_requests as f64,
        );
        near("waits", part.counted.waits as f64, whole.counted.waits as f64);
        let (some, all) = (part.accesses.misses, whole.accesses.misses);
        assert!(some <= factor * all && all <= factor * some, "{some} misses, and {all} by all");
    }
}

fn fun_as_funmem(source: &str) -> reference::funmem::syntax::Program<FunMem> {
    fun_to_funmem::transform_program(&parsed::<Fun>(source), Planted::NONE)
}

const PRODUCT: &str = "param (n : int) (m : int) (l : int) (A : mem [n][m]) (B : mem [m][l])
var C : mem;
C <- alloc n * l;
kernel t <= n * l do
  var i : int; var j : int; var s : int;
  i <- (t - 1) / l;
  j <- (t - 1) % l;
  for k <= m do
    var a : int; var b : int;
    a <- A[i * m + k - 1];
    b <- B[(k - 1) * l + j];
    s <- s + a * b
  done;
  C[i * l + j] <- s
done
results (C : [n][l] @ 0 + {(n : l) (l : 1)})";

/// One thread an element: 64 groups in rounds of 16.
#[test]
fn a_matrix_product_by_some_groups() {
    let program = parsed::<Imp>(PRODUCT);
    near::<Imp>(&program, &[("n", 64), ("m", 48), ("l", 64)], 4);
    // The last group is not full, nor is the last round.
    near::<Imp>(&program, &[("n", 65), ("m", 40), ("l", 63)], 4);
}

/// One thread a row: the loops in it are long, and stand for 100 times what is executed.
#[test]
fn rows_of_a_matrix_product_by_some_rounds() {
    let source = PRODUCT
        .replace("kernel t <= n * l do", "kernel t <= n do for jj <= l do")
        .replace("i <- (t - 1) / l;\n  j <- (t - 1) % l;", "i <- t - 1; j <- jj - 1; s <- 0;")
        .replace("C[i * l + j] <- s\ndone", "C[i * l + j] <- s\ndone done");
    let program = parsed::<Imp>(&source);
    near::<Imp>(&program, &[("n", 64), ("m", 160), ("l", 128)], 10);
}

/// The same by the host alone. A loop that launches is executed whole.
#[test]
fn loops_of_the_host_by_some_rounds() {
    let source = PRODUCT.replace("kernel t <= n * l do", "for t <= n * l do").replace(
        "i <- (t - 1) / l;\n  j <- (t - 1) % l;",
        "i <- (t - 1) / l; j <- (t - 1) % l; s <- 0;",
    );
    let program = parsed::<Imp>(&source);
    let sizes = [("n", 64), ("m", 160), ("l", 128)];
    let [(whole, all), (part, some)] = [false, true].map(|of| priced::<Imp>(&program, &sizes, of));
    assert!(part.host_is_sampled && !whole.host_is_sampled);
    assert_eq!(part.kernels, []);
    assert!(some * 100 < all, "{some} of {all}");
    let error = part.host.umm as f64 / whole.host.umm as f64 - 1.0;
    assert!(error.abs() < 0.01, "{error}");

    let launches = "param (n : int) (xs : mem [n])
for i <= 5000 do kernel j <= n do xs[j - 1] <- i done done
results (xs : [n] @ 0 + {(n : 1)})";
    let (report, _) = priced::<Imp>(&parsed::<Imp>(launches), &[("n", 64)], true);
    assert!(!report.host_is_sampled);
    assert_eq!(report.kernels[0].launches, 5000);
}

const FUN_PRODUCT: &str = "param (n : int) (m : int) (l : int) (xss : [n][m]) (yss : [m][l])
let (zss : [n][l]) = kernel i <= n do
  let (zs : [l]) = kernel j <= l do
    let (z : int) = loop (z : int = 0) for k <= m do
      let (x : int) = xss[i, k]
      let (y : int) = yss[k, j]
    in (z + x * y)
  in (z)
in (zs)
in (zss)";

/// Rows of 5,000 elements that each thread makes, and copies to the result.
#[test]
fn copies_in_threads_by_some_elements() {
    let source = "param (n : int) (m : int) (xs : [n][m])
let (ys : [n][m]) = kernel i <= n do
  let (row : [m]) = kernel j <= m do
    let (x : int) = xs[i, j]
    in (x)
in (row)
in (ys)";
    near::<FunMem>(&fun_as_funmem(source), &[("n", 64), ("m", 5000)], 2);
}

#[test]
fn a_matrix_product_of_funmem_by_some_rounds() {
    near::<FunMem>(&fun_as_funmem(FUN_PRODUCT), &[("n", 64), ("m", 160), ("l", 128)], 10);
}

/// Later rounds have more to do, and so have later groups.
#[test]
fn triangles_are_sampled_in_their_middles() {
    let triangle = "param (n : int) (m : int) (xs : mem [n][m])
var ys : mem;
ys <- alloc n;
kernel i <= n do
  var s : int;
  for j <= m do
    for k <= j do
      var x : int;
      x <- xs[(i - 1) * m + k - 1];
      s <- s + x
    done
  done;
  ys[i - 1] <- s
done
results (ys : [n] @ 0 + {(n : 1)})";
    near_by::<Imp>(&parsed::<Imp>(triangle), &[("n", 64), ("m", 300)], 10, (0.05, 4));
    let by_thread = "param (n : int) (xs : mem [n])
var ys : mem;
ys <- alloc n;
kernel i <= n do
  var s : int;
  for k <= i do
    var x : int;
    x <- xs[k - 1];
    s <- s + x
  done;
  ys[i - 1] <- s
done
results (ys : [n] @ 0 + {(n : 1)})";
    // Loops whose counts differ between threads are executed whole; rounds of groups are few here.
    let program = parsed::<Imp>(by_thread);
    assert_eq!(Imp::regular(&program).expect("it is regular").len(), 1, "the kernel alone");
    let [(whole, _), (part, _)] =
        [false, true].map(|of| priced::<Imp>(&program, &[("n", 8192)], of));
    let error = part.times.umm as f64 / whole.times.umm as f64 - 1.0;
    assert!(error.abs() < 0.1, "{error}");
}

/// A tile in work-group memory between barriers.
#[test]
fn device_programs_by_some_groups() {
    let source = "kernel turns(xs : block[i32], ys : block[i32], n : u32) group 64 {
  workgroup tile : array[i32, 64];
  tile[local_id] = xs.[global_id];
  barrier workgroup;
  if global_id < invocations {
    ys.[global_id] = tile[u32 63 - local_id];
  }
}
param n : i32;
param xs : [n];
let data : block[i32] = xs;
let ys = alloc i32(n);
launch turns(data, ys, u32(n)) for n;
result ys : [n] at 0 strides (1);";
    near::<Device>(&parsed::<Device>(source), &[("n", 1 << 14)], 10);
}

/// A million rounds in each of a million threads have a price, and take no more memory than some of them.
#[test]
fn long_loops_have_a_price() {
    let source = "param (n : int) (m : int)
var ys : mem;
ys <- alloc 1024;
kernel i <= n do
  for k <= m do ys[(i + k) % 1024] <- k done
done
results (ys : [1024] @ 0 + {(1024 : 1)})";
    let program = parsed::<Imp>(source);
    let (report, executed) = priced::<Imp>(&program, &[("n", 1 << 20), ("m", 1 << 20)], true);
    assert_eq!(report.kernels[0].accesses.global, 1 << 40);
    assert_eq!(report.kernels[0].warps, 1 << 15);
    assert!(executed < 5_000_000, "{executed}");
    // What has no end in numbers is told, not priced.
    let nested = source.replace(
        "for k <= m do ys[(i + k) % 1024] <- k done",
        "for k <= m do for l <= m do for o <= m do ys[(i + k) % 1024] <- l done done done",
    );
    let program = parsed::<Imp>(&nested);
    let (report, _) = run::<Imp>(&program, &[("n", 1 << 20), ("m", 1 << 20)], true);
    assert!(report.expect_err("it is too large").why.contains("rounds of loops"));
}

/// Which statement depends on data is told.
#[track_caller]
fn irregular<L: Language>(source: &str, statement: &str) {
    let program = parsed::<L>(source);
    let no = L::regular(&program).expect_err("it depends on data");
    let found = &source[no.site.start as usize..no.site.end as usize];
    assert!(found.contains(statement), "`{found}` was found, not `{statement}`");
}

#[test]
fn what_depends_on_data_has_no_part_that_stands_for_it() {
    let around = |body: &str| {
        format!(
            "param (n : int) (xs : mem [n])
var ys : mem; var c : int;
ys <- alloc n;
kernel i <= n do var x : int; x <- xs[i - 1]; ys[i - 1] <- x done;
{body}
results (ys : [n] @ 0 + {{(n : 1)}})"
        )
    };
    let kernel =
        |body: &str| around(&format!("kernel i <= n do var x : int; x <- ys[i - 1]; {body} done"));
    irregular::<Imp>(&kernel("x <- ys[x]"), "x <- ys[x]");
    irregular::<Imp>(&kernel("var y : int; y <- x + 1; ys[y] <- 1"), "ys[y]");
    irregular::<Imp>(&kernel("for k <= x do ys[0] <- k done"), "for k <= x");
    irregular::<Imp>(&kernel("if x then ys[0] <- 1 else fi"), "if x");
    irregular::<Imp>(&kernel("ys[0] <- 1 / x"), "1 / x");
    irregular::<Imp>(&around("c <- ys[0]; kernel i <= c do ys[0] <- i done"), "kernel i <= c");
    assert!(Imp::regular(&parsed::<Imp>(&kernel("ys[i - 1] <- x * x"))).is_ok());
    let fun = |source: &str| FunMem::regular(&fun_as_funmem(source)).is_ok();
    let map = "param (n : int) (xs : [n]) let (ys : [n]) = kernel i <= n do let (x : int) = xs[i] in (x + 1) in (ys)";
    assert!(fun(map));
    assert!(!fun(&map.replace("in (x + 1)", "let (y : int) = xs[x] in (y)")));
    let dev = "kernel k(xs : block[i32]) group 32 {
  let x : i32 = xs.[global_id];
  xs.[global_id] = x;
}
param n : i32;
param xs : [n];
let data : block[i32] = xs;
launch k(data) for n;
result data : [n] at 0 strides (1);";
    assert!(Device::regular(&parsed::<Device>(dev)).is_ok());
    irregular::<Device>(&dev.replace("xs.[global_id] = x;", "xs.[u32(x)] = 1;"), "xs.[u32(x)] = 1");
    irregular::<Device>(
        &dev.replace("xs.[global_id] = x;", "if x == 1 { xs.[0] = 1; }"),
        "if x == 1",
    );
}

/// Rounds are left out of loops only that hand nothing on which decides what is accessed.
#[test]
fn loops_that_hand_indices_on_are_executed_whole() {
    let source = |body: &str| {
        format!(
            "param (n : int) (m : int)
var ys : mem;
ys <- alloc n;
kernel i <= n do
  var p : int;
  for k <= m do {body} done
done
results (ys : [n] @ 0 + {{(n : 1)}})"
        )
    };
    let loops =
        |body: &str| Imp::regular(&parsed::<Imp>(&source(body))).expect("it is regular").len();
    assert_eq!(loops("ys[i - 1] <- k"), 2);
    assert_eq!(loops("var q : int; q <- k - 1; ys[q % n] <- k"), 2);
    assert_eq!(loops("p <- p + k; ys[i - 1] <- p"), 2);
    assert_eq!(loops("p <- p + k; ys[p % n] <- p"), 1);
    assert_eq!(loops("ys[p % n] <- k; p <- k"), 1);
}
