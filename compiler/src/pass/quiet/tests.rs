//! What a quiet form tells, and what is left of it.

use super::*;
use crate::pass::bound_loops::Limit;
use crate::pipeline::{self, Artifact, Plan};
use reference::device::eval::{self, Order};
use reference::device::{print, syntax::Program, validate};
use reference::kit::derivation::Recorder;
use reference::kit::outcome::{Budget, Ending};
use reference::kit::value::parse_values;

fn compiled(source: &str) -> Program {
    bounded(source, Plan::default())
}

fn bounded(source: &str, cx: Plan) -> Program {
    let program = reference::imp::parse::program(source).expect("the program parses");
    passed(Artifact::Imp(program), cx)
}

fn passed(program: Artifact, cx: Plan) -> Program {
    let stages = pipeline::stages(program, &cx);
    stages.device().expect("it compiles").clone()
}

/// The program with the quiet forms of its kernels.
fn quietened(mut program: Program) -> Program {
    let types = Types::of(&program);
    for kernel in &mut program.kernels {
        let quiet = Quietened::of(kernel, &program.sites, &types).expect("it has checks");
        *kernel = quiet.form(&types, &Facts::default());
    }
    validate::check(&program, &mut Recorder::counting()).expect("it is valid");
    program
}

fn run(program: &Program, input: &str) -> Ending {
    let input = parse_values(input).expect("the input parses");
    let mut recorder = Recorder::counting();
    eval::run(program, &input, Order::InOrder, &Budget::default(), &mut recorder).ending
}

const SUMS: &str = "param (n : int) (m : int) (xs : mem [n][m])
    var out : mem;
    out <- alloc n;
    kernel i <= n do
      var sum : int;
      var x : int;
      check index(i, n);
      check index(i, n);
      for j <= m do
        x <- xs[(i - 1) * m + (j - 1)];
        if x then sum <- sum + 7 / x else check index(0 - x, 0) fi
      done;
      out[i - 1] <- sum
    done
    results (out : [n] @ 0 + {(n : 1)})";

#[test]
fn what_does_not_fail_gives_the_same() {
    let program = compiled(SUMS);
    let input = "2, 3, [[1, 2, 3], [7, -7, -1]]";
    assert!(matches!(run(&program, input), Ending::Value(_)));
    assert_eq!(run(&quietened(program.clone()), input), run(&program, input));
}

#[test]
fn what_fails_is_told() {
    let program = quietened(compiled(SUMS));
    assert!(!matches!(run(&program, "2, 2, [[1, 2], [7, 0]]"), Ending::Value(_)));
}

/// Nothing is left of what is remembered, no read is guarded, and each test is made once.
#[test]
fn it_is_short() {
    let program = compiled(SUMS);
    let quiet = print::program(&quietened(program.clone()));
    assert!(print::program(&program).contains("failed ="));
    let kernel = quiet.split("\nparam").next().expect("the kernel comes first");
    assert_eq!(kernel.matches("failed").count(), 0, "{kernel}");
    assert_eq!(kernel.matches("if alive").count(), 1, "{kernel}");
    assert_eq!(kernel.matches("k <= n").count() + kernel.matches("i <= n").count(), 1);
}

/// `n` rounds, each with six rounds inside of it.
const ROUNDS: &str = "param (n : int) (xs : mem [6])
    var out : mem;
    out <- alloc 2;
    kernel i <= 2 do
      var sum : int;
      var x : int;
      for j <= n do
        for k <= 3 do
          check index(k, 6);
          x <- xs[2 * (k - 1) + 1];
          for one <= 1 do sum <- sum + x * one done
        done
      done;
      out[i - 1] <- sum
    done
    results (out : [2] @ 0 + {(2 : 1)})";

/// A kernel that runs out of rounds is told of, whatever loop it is in then.
#[test]
fn running_out_of_rounds_is_told() {
    for rounds in 1..30 {
        let mut cx = Plan::default();
        cx.rounds.rounds = rounds;
        let program = bounded(ROUNDS, cx);
        let input = "3, [1, 2, 3, 4, 5, 6]";
        let ended = matches!(run(&program, input), Ending::Value(_));
        assert_eq!(ended, rounds >= 3 * 7, "{rounds} rounds");
        let told = !matches!(run(&quietened(program), input), Ending::Value(_));
        assert!(told || ended, "{rounds} rounds");
        assert!(!told || rounds < 6 * 7, "{rounds} rounds are enough");
    }
}

/// So is one whose condition names nothing that the loop carries.
#[test]
fn running_out_of_rounds_without_a_counter_is_told() {
    let source = "kernel k(xs : block[i32], n : i32) group 1 {
          var left : i32 = 12;
          loop () while left > n {
            loop (c : u32 = u32 0) while c < u32 3 { left = left - 1; } next (c + u32 1);
          } next ();
          xs.[0] = left;
        }
        param xs : [1];
        param n : i32;
        launch k(xs, n) for 1;
        result xs : [1] at 0 strides (1);";
    for rounds in 1..40 {
        let parsed = reference::device::parse::program(source).expect("the program parses");
        let cx = Plan { rounds: Limit { rounds, iterations: None }, ..Plan::default() };
        let program = passed(Artifact::Device(parsed), cx);
        let ended = matches!(run(&program, "[7], 0"), Ending::Value(_));
        assert_eq!(ended, rounds >= 16, "{rounds} rounds");
        let told = !matches!(run(&quietened(program), "[7], 0"), Ending::Value(_));
        assert!(told || ended, "{rounds} rounds");
    }
}

/// The kernel pays for the plain loops that stand in no other.
#[test]
fn plain_loops_beside_others_are_paid_for() {
    let source = "param (n : int)
        var out : mem;
        out <- alloc 1;
        kernel i <= 1 do
          var sum : int;
          for k <= 3 do sum <- sum + k done;
          for j <= n do sum <- sum + j done;
          out[i - 1] <- sum
        done
        results (out : [1] @ 0 + {(1 : 1)})";
    for rounds in 1..20 {
        let cx = Plan { rounds: Limit { rounds, iterations: None }, ..Plan::default() };
        let program = bounded(source, cx);
        let ended = matches!(run(&program, "5"), Ending::Value(_));
        assert_eq!(ended, rounds >= 8, "{rounds} rounds");
        let told = !matches!(run(&quietened(program), "5"), Ending::Value(_));
        assert!(told || ended, "{rounds} rounds");
    }
}

/// The program with the quiet form of its only kernel for a launch of so many invocations; of
/// an argument the words are given by what the source calls it.
fn special(mut program: Program, invocations: u32, args: &[(&str, &[u32])]) -> Program {
    let types = Types::of(&program);
    let kernel = &program.kernels[0];
    let words = |(var, _): &(Var, _)| {
        let text = program.names.text(*var);
        let stem = text.split('_').next().unwrap_or(text);
        let given = args.iter().find(|(name, _)| *name == stem);
        given.unwrap_or_else(|| panic!("{text} is given")).1.to_vec()
    };
    let args: Vec<u32> = kernel.params.iter().flat_map(words).collect();
    let quiet = Quietened::of(kernel, &program.sites, &types).expect("it has checks");
    let form = quiet.form(&types, &Facts::of(kernel, invocations, &args));
    program.kernels[0] = form;
    validate::check(&program, &mut Recorder::counting()).expect("it is valid");
    program
}

fn kernel_of(program: &Program) -> String {
    let text = print::program(program);
    text.split("\nparam").next().expect("the kernel comes first").to_owned()
}

const RECORD: (&str, &[u32]) = ("record", &[99, 9]);

/// Sizes say that every element is inside: nothing is tested, so nobody dies.
#[test]
fn what_the_sizes_prove_is_not_tested() {
    let source = "param (n : int) (m : int) (xs : mem [n][m])
        var out : mem;
        out <- alloc n;
        kernel i <= n do
          var x : int;
          check index(i, n);
          for j <= m do x <- xs[(i - 1) * m + (j - 1)] done;
          x <- xs[(i - 1) * m + 2];
          out[i - 1] <- x
        done
        results (out : [n] @ 0 + {(n : 1)})";
    let sized = |n: u32, m: u32, length: u32| {
        let args = [("n", &[n][..]), ("m", &[m]), ("xs", &[7, length]), ("out", &[50, n]), RECORD];
        special(compiled(source), n, &args)
    };
    let (program, input) = (sized(2, 3, 6), "2, 3, [[1, 2, 3], [4, 5, 6]]");
    let kernel = kernel_of(&program);
    for gone in ["alive", "rounds_left", "record.[", "<="] {
        assert!(!kernel.contains(gone), "{gone}: {kernel}");
    }
    assert_eq!(run(&program, input), run(&compiled(source), input));
    // The last element is outside of it.
    let program = sized(2, 2, 4);
    assert!(kernel_of(&program).contains("alive"));
    assert!(!matches!(run(&program, "2, 2, [[1, 2], [3, 4]]"), Ending::Value(_)));
}

/// How often a loop goes round is not known of the poisoned where a test says it: they go by
/// their fuel.
#[test]
fn rounds_that_a_test_bounds_have_fuel() {
    let source = "param (n : int) (xs : mem [n])
        var out : mem;
        out <- alloc n;
        kernel i <= n do
          var x : int;
          var sum : int;
          x <- xs[i - 1];
          check index(x, 3);
          for j <= x do sum <- sum + j done;
          out[i - 1] <- sum
        done
        results (out : [n] @ 0 + {(n : 1)})";
    let args = [("n", &[2][..]), ("xs", &[7, 2]), ("out", &[20, 2]), RECORD];
    let program = special(compiled(source), 2, &args);
    assert!(kernel_of(&program).contains("rounds_left > "), "{}", kernel_of(&program));
    assert_eq!(run(&program, "2, [3, 1]"), run(&compiled(source), "2, [3, 1]"));
    assert!(!matches!(run(&program, "2, [3, 2147483647]"), Ending::Value(_)));
}

/// No invocation and no element: nothing is proved of what is not there.
#[test]
fn empty_blocks_are_tested() {
    let source = "param (n : int) (k : int) (xs : mem [n])
        var out : mem;
        out <- alloc 2;
        kernel i <= 2 do
          var x : int;
          if k then x <- xs[i - 1] else skip fi;
          out[i - 1] <- x
        done
        results (out : [2] @ 0 + {(2 : 1)})";
    for (k, text) in [(0, "0, 0, []"), (1, "0, 1, []")] {
        let args = [("n", &[0][..]), ("k", &[k]), ("xs", &[7, 0]), ("out", &[20, 2]), RECORD];
        let program = special(compiled(source), 2, &args);
        let ended = matches!(run(&compiled(source), text), Ending::Value(_));
        assert_eq!(ended, k == 0);
        assert_eq!(matches!(run(&program, text), Ending::Value(_)), ended);
    }
}

/// The number of rounds has a name of its own, which says nothing new: so do nested kernels.
#[test]
fn rounds_whose_number_has_a_name_are_counted() {
    let source = "param (n : int) (m : int) (xs : mem [n][m])
        var out : mem;
        out <- alloc n * m;
        kernel i <= n do
          kernel j <= m do
            var x : int;
            x <- xs[(j - 1) + (i - 1) * m];
            out[(i - 1) * m + (j - 1)] <- x
          done
        done
        results (out : [n][m] @ 0 + {(n : m) (m : 1)})";
    for (m, input) in
        [(0, "2, 0, empty[2][0]"), (1, "2, 1, [[5], [6]]"), (2, "2, 2, [[1, 2], [3, 4]]")]
    {
        let args =
            [("n", &[2][..]), ("m", &[m]), ("xs", &[7, 2 * m]), ("out", &[50, 2 * m]), RECORD];
        let program = special(compiled(source), 2, &args);
        let kernel = kernel_of(&program);
        assert_eq!(kernel.matches("loop").count(), usize::from(m == 2), "{kernel}");
        assert!(!kernel.contains("rounds_left") && !kernel.contains("alive"), "{kernel}");
        assert_eq!(run(&program, input), run(&compiled(source), input), "{m} rounds");
    }
}

/// What has a bit that is set is no divisor that has to be tested; what has none is.
#[test]
fn divisors_with_a_bit_set_are_not_tested() {
    let source = |divisor: &str| {
        format!(
            "param (n : int) (xs : mem [n])
            var out : mem;
            out <- alloc n;
            kernel i <= n do
              var x : int;
              x <- xs[i - 1];
              out[i - 1] <- 100 / ({divisor}) + 7 % ({divisor})
            done
            results (out : [n] @ 0 + {{(n : 1)}})"
        )
    };
    let input = "2, [-1, 0]";
    for (divisor, tested) in [("x | 1", false), ("4 | x", false), ("x | 0", true), ("x | i", true)]
    {
        let args = [("n", &[2][..]), ("xs", &[7, 2]), ("out", &[20, 2]), RECORD];
        let compiled = compiled(&source(divisor));
        let program = special(compiled.clone(), 2, &args);
        assert_eq!(kernel_of(&program).contains("alive"), tested, "{}", kernel_of(&program));
        let ended = matches!(run(&compiled, input), Ending::Value(_));
        assert_eq!(ended, divisor != "x | 0");
        assert_eq!(matches!(run(&program, input), Ending::Value(_)), ended, "{divisor}");
    }
}

/// Rounds in which nothing is left to do are not gone through; those whose number is asked for are.
#[test]
fn empty_rounds_go() {
    let source = "param (n : int)
        var out : mem;
        out <- alloc n;
        kernel i <= n do
          for j <= 5 do var x : int; x <- j done;
          out[i - 1] <- i
        done
        results (out : [n] @ 0 + {(n : 1)})";
    let args = [("n", &[2][..]), ("out", &[20, 2]), RECORD];
    let program = special(compiled(source), 2, &args);
    assert!(!kernel_of(&program).contains("loop"), "{}", kernel_of(&program));
    assert_eq!(run(&program, "2"), run(&compiled(source), "2"));
}

/// What is bound in the only round of a loop may be a literal there, and so no name: behind the loop, where
/// that is not known any more, the same value is bound again.
#[test]
fn what_the_only_round_binds_is_bound_again() {
    let source = "param (n : int)
        var out : mem;
        out <- alloc n;
        kernel i <= n do
          kernel j <= 1 do
            var x : int;
            x <- (i ^ 1) % 1 + 1;
            out[i - 1] <- x
          done;
          var y : int;
          y <- (i ^ 1) % 1 + 1;
          out[i - 1] <- y
        done
        results (out : [n] @ 0 + {(n : 1)})";
    let args = [("n", &[2][..]), ("out", &[20, 2]), RECORD];
    let program = special(compiled(source), 2, &args);
    assert_eq!(run(&program, "2"), run(&compiled(source), "2"));
}
