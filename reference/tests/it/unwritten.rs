//! Reads of memory that nothing wrote are seen where they are looked for, and nowhere else.

use reference::device::Device;
use reference::funmem::FunMem;
use reference::imp::Imp;
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::language::{How, Language, Settings};
use reference::kit::memory::Memory;
use reference::kit::outcome::{Budget, Ending, Outcome, Unwritten};
use reference::kit::value::parse_values;

fn run<L: Language>(source: &str, input: &str, watches: bool) -> Outcome {
    let program = L::parse(source).expect("it parses");
    L::check(&program, &mut Recorder::counting()).expect("it is well typed");
    let input = L::fit(&program, parse_values(input).expect("values")).expect("it fits");
    let how = How {
        variant: L::VARIANTS[0].name,
        schedule: 1,
        budget: &Budget::default(),
        settings: &Settings::default(),
        planted: Planted::NONE,
        memory: &mut Memory::default().watched(watches),
    };
    L::run(&program, &input, how, &mut Recorder::counting())
}

/// The first read, as `thread: offset of block`, in a program that ends with a result.
fn read<L: Language>(source: &str, input: &str) -> Option<String> {
    let plain = run::<L>(source, input, false);
    assert_eq!(plain.unwritten, None, "it was not looked for");
    let outcome = run::<L>(source, input, true);
    assert!(matches!(outcome.ending, Ending::Value(_)), "{:?}", outcome.ending);
    assert_eq!(outcome.ending, plain.ending, "what is looked for changes nothing");
    let told = |Unwritten { thread, block, offset, .. }| format!("{thread:?}: {offset} of {block}");
    outcome.unwritten.map(told)
}

fn imp(statements: &str) -> Option<String> {
    let source =
        format!("param (n : int) (xs : mem [n])\nvar a : mem;\na <- alloc n;\n{statements}");
    read::<Imp>(&source, "3, [7, 8, 9]")
}

#[test]
fn imp_reads_cells_and_results() {
    let all = "results (a : [n] @ 0 + {(n : 1)})";
    assert_eq!(imp(&format!("skip\n{all}")).as_deref(), Some("[]: 0 of a"));
    let some = "kernel i <= n do var c : int; c <- i - 2; if c then a[i - 1] <- 0 else fi done ";
    assert_eq!(imp(&format!("{some}{all}")).as_deref(), Some("[]: 1 of a"));
    let copied = "kernel i <= n do var x : int; x <- a[i - 1]; a[i - 1] <- x done ";
    assert_eq!(imp(&format!("{copied}{all}")).as_deref(), Some("[1]: 0 of a"));
    let written = "kernel i <= n do var x : int; x <- xs[i - 1]; a[i - 1] <- x done ";
    assert_eq!(imp(&format!("{written}{all}")), None);
    // The other half of the block is not asked for.
    assert_eq!(imp("a[0] <- 1\nresults (a : [1] @ 0 + {(1 : 1)})"), None);
}

/// A block that takes the label of one that was freed is fresh.
#[test]
fn a_label_that_is_taken_again_is_fresh() {
    let twice = "var s : int;
        kernel i <= n do
          var b : mem; b <- alloc 2; var x : int;
          var c : int; c <- i - 1; if c then x <- b[1] else fi;
          b[1] <- i
        done
        results (s)";
    assert_eq!(imp(twice).as_deref(), Some("[2]: 1 of b"));
}

/// An array exists once all of it was written, so no program of FUNMEM reads anything else.
#[test]
fn funmem_reads_what_it_wrote() {
    let source = "param (n : int) (xs : [n])\n\
        let (ys : [n]) = kernel i <= n do\n  let (r : [2]) = replicate 2 i\n  let (y : int) = r[2]\n  in (y)\n\
        in (ys)";
    let program = reference::fun::Fun::parse(source);
    let program = program.expect("it parses");
    let placed = reference::translate::fun_to_funmem::transform_program(&program, Planted::NONE);
    assert_eq!(read::<FunMem>(&FunMem::print(&placed), "3, [7, 8, 9]"), None);
}

fn device(body: &str, host: &str) -> Option<String> {
    let source = format!(
        "kernel k(p : block[i32], q : block[i32], c : block[atomic[u32]]) group 2 {{ {body} }}
        param xs : [4];
        let ys = alloc i32(4);
        let n = alloc atomic[u32](1);
        launch k(xs, ys, n) for 4;
        {host}"
    );
    read::<Device>(&source, "[1, 2, 3, 4]")
}

#[test]
fn the_device_reads_blocks() {
    let result = "result ys : [4] at 0 strides (1);";
    assert_eq!(device("q.[global_id] = 5;", result), None);
    assert_eq!(device("q.[0] = 5;", "result ys : [1] at 0 strides (1);"), None);
    let own = "if global_id != u32 2 { q.[global_id] = 5; }";
    assert_eq!(device(own, result).as_deref(), Some("[]: 2 of ys"));
    assert_eq!(device(own, "let y = read ys.[2]; result y;").as_deref(), Some("[]: 2 of ys"));
    let load = "let y : i32 = q.[global_id]; q.[global_id] = y + 1;";
    assert_eq!(device(load, result).as_deref(), Some("[1]: 0 of ys"));
    // A copy is no read: what was not written is not written in the copy either.
    let copy = "let zs = alloc i32(4); copy 4 from ys.[0] to zs.[0];";
    assert_eq!(device(own, &format!("{copy} result zs : [2] at 0 strides (1);")), None);
    let all = format!("{copy} result zs : [4] at 0 strides (1);");
    assert_eq!(device(own, &all).as_deref(), Some("[]: 2 of zs"));
    // Counters start from zero, and nobody writes it.
    let count = "atomic add(c.[0], u32 1); q.[global_id] = 1;";
    assert_eq!(device(count, "let all = read n.[0]; result i32(all);"), None);
}
