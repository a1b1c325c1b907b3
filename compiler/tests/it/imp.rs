//! IMP programs keep their meaning through every pass and on every adapter.

use crate::common::{compile, gets_stuck, gives, is_refused, run_all, run_from};
use compiler::pass::bound_loops::Limit;
use compiler::pipeline::Stop;
use compiler::route::Plan;
use reference::kit::outcome::{Cause, Ending, Why};

/// One thread for each of the elements of `xs`; `body` makes `y` of `x`.
fn map(body: &str) -> String {
    format!(
        "param (n : int) (xs : mem [n])
         var out : mem;
         out <- alloc n;
         kernel i <= n do
           var x : int;
           var y : int;
           x <- xs[i - 1];
           {body};
           out[i - 1] <- y
         done
         results (out : [n] @ 0 + {{(n : 1)}})"
    )
}

#[test]
fn a_map() {
    gives(&map("y <- x * x + i"), "4, [7, -4, 9, 0]", "[50, 18, 84, 4]");
    gives(&map("y <- x"), "0, []", "[]");
}

/// Operators at their corners, with operands that the compiler does not know.
#[test]
fn operators_at_their_corners() {
    let program = |params: &str, a: &str, b: &str| {
        let infix = ["+", "-", "*", "/", "%"];
        let infix = infix.iter().map(|op| format!("{a} {op} {b}"));
        let calls = ["min", "max"].iter().map(|name| format!("{name}({a}, {b})"));
        let rest = ["&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">="];
        let rest = rest.iter().map(|op| format!("{a} {op} {b}"));
        let writes: Vec<String> = infix
            .chain(calls)
            .chain(rest)
            .enumerate()
            .map(|(i, exp)| format!("out[{i}] <- {exp}"))
            .collect();
        format!(
            "{params} var out : mem; out <- alloc 18; kernel i <= 1 do {} done
             results (out : [18] @ 0 + {{(18 : 1)}})",
            writes.join("; ")
        )
    };
    let min = i32::MIN;
    let expected = |a: i32, b: i32| {
        use reference::kit::scalar::BinOp::*;
        let ops =
            [Add, Sub, Mul, Div, Rem, Min, Max, And, Or, Xor, Shl, Shr, Eq, Ne, Lt, Le, Gt, Ge];
        let values: Vec<String> =
            ops.iter().map(|op| op.apply(a, b).expect("no divisor is zero").to_string()).collect();
        format!("[{}]", values.join(", "))
    };
    for (a, b) in [(min, -1), (-7, 2), (7, -2), (i32::MAX, 33), (-1, 31), (min, min), (5, 5)] {
        let source = program("param (a : int) (b : int)", "a", "b");
        gives(&source, &format!("{a}, {b}"), &expected(a, b));
        // The same with constants, which a compiler of WGSL would compute itself.
        gives(&program("", &format!("({a})"), &format!("({b})")), "", &expected(a, b));
    }
}

#[test]
fn an_index_in_a_nested_kernel() {
    let source = "param (n : int) (m : int)
        kernel i <= n do
          kernel j <= m do
            check index(i * j, 6)
          done
        done";
    gives(source, "2, 3", "");
    gets_stuck(source, "4, 3", ("index", "check"), &[3, 3], &[9, 6]);
    gets_stuck(source, "70, 1", ("index", "check"), &[7, 1], &[7, 6]);
}

/// A slice is tested exactly, whatever its operands are.
#[test]
fn slices_in_a_kernel() {
    let source = "param (offset : int) (size : int) (stride : int) (extent : int)
        kernel i <= 1 do check slice(offset, size, stride, extent) done";
    let (min, max) = (i32::MIN, i32::MAX);
    let operands = [
        (1, 5, 1, 5),
        (1, 6, 1, 5),
        (5, 5, -1, 5),
        (5, 6, -1, 5),
        (0, 0, 1, 0),
        (1, 0, 7, 0),
        (2, 0, 1, 0),
        (-1, 0, 1, 4),
        (3, -1, 1, 5),
        (2, 100, 0, 5),
        (6, 1, 0, 5),
        (max, max, 1, max),
        (1, max, 1, max),
        (max, max, -1, max),
        (1, 2, min, 5),
        (1, 1, min, 5),
        (max, 2, min, max),
        (1, 3, 0x4000_0000, max),
        (1, 2, 0x4000_0000, max),
        (1, min, 1, 5),
        (max, 0, 1, max),
        (min, 0, 1, max),
        (5, 2, max, max),
        (1, 65537, 65536, max),
    ];
    for (offset, size, stride, extent) in operands {
        let input = format!("{offset}, {size}, {stride}, {extent}");
        let values = [offset, size, stride, extent].map(i64::from);
        let cause = reference::kit::outcome::Cause::Slice;
        if reference::kit::outcome::holds(cause, &values) {
            gives(source, &input, "");
        } else {
            gets_stuck(source, &input, ("slice", "check"), &[1], &values);
        }
    }
}

#[test]
fn a_zero_divisor() {
    let source = map("y <- 100 / x");
    gives(&source, "2, [7, -4]", "[14, -25]");
    gets_stuck(&source, "3, [7, 0, 0]", ("division", "100 / x"), &[2], &[100, 0]);
    gets_stuck(&map("y <- 7 / 0"), "1, [7]", ("division", "7 / 0"), &[1], &[7, 0]);
    // The left operand comes first.
    let both = map("y <- (x / 0) + (3 % x)");
    gets_stuck(&both, "1, [0]", ("division", "(x / 0)"), &[1], &[0, 0]);
}

#[test]
fn negative_counts_and_sizes() {
    let kernel = "param (n : int) kernel i <= n do skip done";
    gets_stuck(kernel, "-3", ("size", "kernel"), &[], &[-3]);
    gets_stuck("param (n : int) for i <= n do skip done", "-3", ("count", "for"), &[], &[-3]);
    let nested = map("for k <= x do y <- k done; kernel j <= x - 5 do skip done");
    gives(&nested, "1, [6]", "[6]");
    gets_stuck(&nested, "2, [6, -1]", ("count", "for k"), &[2], &[-1]);
    gets_stuck(&nested, "2, [6, 1]", ("size", "kernel j"), &[2], &[-4]);
    let alloc = "param (n : int) var b : mem; b <- alloc n * n * n";
    gets_stuck(alloc, "-3", ("size", "b <- alloc"), &[], &[-27]);
}

#[test]
fn accesses_outside_of_a_block() {
    gets_stuck(&map("out[x] <- 1; y <- 0"), "2, [1, -1]", ("inside", "out[x]"), &[2], &[-1, 2]);
    gets_stuck(&map("y <- xs[i]"), "2, [1, 1]", ("inside", "y <- xs[i]"), &[2], &[2, 2]);
    gets_stuck("var b : mem; b <- alloc 3; b[3] <- 1", "", ("inside", "b[3]"), &[], &[3, 3]);
}

/// A block that is not assigned in every branch.
#[test]
fn no_block() {
    let source = map("var b : mem; if x then b <- xs else skip fi; y <- b[0]");
    gives(&source, "2, [5, 7]", "[5, 5]");
    gets_stuck(&source, "2, [5, 0]", ("block", "y <- b[0]"), &[2], &[]);
    let copied = map("var b : mem; var c : mem; if x then b <- xs else skip fi; c <- b; y <- c[0]");
    gets_stuck(&copied, "2, [5, 0]", ("block", "c <- b"), &[2], &[]);
}

/// The lowest thread is reported, whatever else fails, in its work group and in others.
#[test]
fn the_lowest_thread_is_reported() {
    let source = "param (n : int) (m : int)
        kernel i <= n do
          var z : int;
          z <- i % m;
          if z then skip else check index(i, 0) fi
        done";
    gets_stuck(source, "300, 7", ("index", "check"), &[7], &[7, 0]);
    gets_stuck(source, "300, 70", ("index", "check"), &[70], &[70, 0]);
    gets_stuck(source, "5000, 4999", ("index", "check"), &[4999], &[4999, 0]);
    gives(source, "300, 301", "");
}

/// A thread that fails stops; what it did before stays, and no thread writes outside of a block.
#[test]
fn a_failed_thread_does_nothing_more() {
    let source = "param (n : int)
        var out : mem;
        out <- alloc n;
        kernel i <= n do
          out[i - 1] <- i;
          kernel j <= 3 do check index(i + j, n) done;
          out[i - 1] <- 0 - i;
          for k <= 1000000 do out[i - 1 + k] <- 7 done
        done";
    gets_stuck(source, "3", ("index", "check"), &[1, 3], &[4, 3]);
}

#[test]
fn iterations_restore_the_environment() {
    let source = "param (n : int)
        var t : int;
        var b : mem;
        var out : mem;
        b <- alloc 1;
        out <- alloc 2 * n;
        t <- 10;
        kernel i <= n do
          t <- t + i;
          kernel j <= 3 do t <- t + 100; b <- out done;
          var odd : int;
          odd <- i % 2;
          if odd then b <- out else skip fi;
          out[i - 1] <- t;
          if odd then b[n + i - 1] <- 5 else skip fi
        done;
        out[0] <- out_0(t)
        results (t) (out : [n][2] @ 0 + {(n : 1)(2 : n)})"
        .replace("out[0] <- out_0(t)", "out[0] <- t");
    gives(&source, "3", "10, [[10, 5], [12, 0], [13, 5]]");
}

#[test]
fn blocks_as_values_under_loops() {
    let source = "param (n : int) (xs : mem [n]) (ys : mem [n])
        var out : mem;
        out <- alloc n;
        kernel i <= n do
          var a : mem; var b : mem; var t : mem; var v : int;
          a <- xs; b <- ys;
          for k <= i do t <- a; a <- b; b <- t done;
          v <- a[i - 1];
          out[i - 1] <- v
        done
        results (out : [n] @ 0 + {(n : 1)})";
    gives(source, "3, [1, 2, 3], [10, 20, 30]", "[10, 2, 30]");
}

/// Loops that the host runs, with launches inside.
#[test]
fn a_loop_of_kernels() {
    let source = "param (n : int) (rounds : int)
        var b : mem; var sum : int; var v : int;
        b <- alloc n;
        for r <= rounds do
          kernel i <= n do var v : int; v <- b[i - 1]; b[i - 1] <- v + i * r done
        done;
        for i <= n do v <- b[i - 1]; sum <- sum + v done
        results (sum)"
        .replacen("var v : int; v <- b", "var w : int; w <- b", 1)
        .replacen("<- v + i * r", "<- w + i * r", 1);
    gives(&source, "4, 3", "60");
    run_all(&compile(&source, &Plan::default()), "4, 3", |stage, outcome| {
        assert_eq!(outcome.stats.launches, 3, "after {stage}");
        assert_eq!(outcome.stats.invocations, 12, "after {stage}");
    });
}

#[test]
fn an_allocation_in_a_kernel_is_refused() {
    let (statement, reason) =
        is_refused("kernel i <= 3 do var b : mem; b <- alloc i done", "lower");
    assert!(statement.contains("alloc"), "{statement}");
    assert!(reason.contains("allocates"), "{reason}");
}

/// 32 bits do not do: the answer is unknown, never a wrapped offset.
#[test]
fn offsets_beyond_32_bits() {
    let source = map("y <- xs[x * x * x]");
    gives(&source, "2, [0, 1]", "[0, 1]");
    gets_stuck(&source, "2, [0, -3]", ("inside", "y <- xs"), &[2], &[-27, 2]);
    // 65536 * 65536 is 0 in 32 bits.
    let wide = map("y <- xs[x * x]");
    run_all(&compile(&wide, &Plan::default()), "1, [65536]", |stage, outcome| {
        let Ending::Unknown(Why::NotModelled(text)) = &outcome.ending else {
            panic!("after {stage}: {:?}", outcome.ending);
        };
        assert!(text.contains("32 bits"), "{text}");
    });
}

/// Where huge terms cancel out, what is left is exact.
#[test]
fn offsets_whose_terms_cancel_out() {
    let source = map("y <- xs[(7 - x * n) + x * n * i - 7 - x * n * (i - 1)]");
    let max = i32::MAX;
    gives(&source, &format!("1, [{max}]"), &format!("[{max}]"));
    let (source, min) = (map("y <- xs[x * 3 - x * 2 - x]"), i32::MIN);
    gives(&source, &format!("2, [{max}, {min}]"), &format!("[{max}, {max}]"));
    // The quotient alone is beyond 32 bits.
    let source = map("y <- xs[x / (n - 3) - x / (n - 3)]");
    run_all(&compile(&source, &Plan::default()), &format!("2, [5, {min}]"), |stage, outcome| {
        let unknown = matches!(outcome.ending, Ending::Unknown(Why::NotModelled(_)));
        assert!(unknown, "after {stage}: {:?}", outcome.ending);
    });
}

/// Scalars get stuck in the iterations of all kernels around them.
#[test]
fn a_division_in_nested_kernels() {
    let source = "param (n : int)
        kernel i <= 2 do
          kernel j <= 6 / (n - i) do
            kernel l <= 2 do
              var y : int;
              y <- 1 % (l - j)
            done
          done
        done";
    gets_stuck(source, "2", ("division", "y <- 1"), &[1, 1, 1], &[1, 0]);
    gets_stuck(source, "1", ("division", "kernel j"), &[1], &[6, 0]);
}

/// What has no end on a device has one.
#[test]
fn loops_run_out_of_fuel() {
    let source = map("for a <= x do for b <= x do y <- y ^ (a * b) done done");
    let rounds = Limit { rounds: 1000, iterations: None };
    let cx = Plan { rounds, ..Plan::default() };
    let stages = compile(&source, &cx);
    let ending = |x: i32| {
        let mut endings = Vec::new();
        run_from(&stages, &cx, "bound_loops", &format!("1, [{x}]"), |_, outcome| {
            endings.push(outcome.ending.clone());
        });
        endings.dedup();
        assert_eq!(endings.len(), 1, "{endings:?}");
        endings.pop()
    };
    assert!(matches!(ending(30), Some(Ending::Value(_))));
    let gives_up = Cause::Fuel.gives_up().map(Ending::Unknown);
    assert_eq!(ending(100), gives_up);
    assert_eq!(ending(i32::MAX), gives_up);
}

/// An offset that may be beyond 64 bits: where a factor is 0 the other may be anything, and what wraps to
/// an offset inside is not taken for one.
#[test]
fn factors_beyond_32_bits() {
    let stages = compile(&map("y <- xs[(x - 65536) * (x * x)]"), &Plan::default());
    let ending = |x: i32| {
        let mut endings = Vec::new();
        run_from(&stages, &Plan::default(), "lower", &format!("1, [{x}]"), |_, outcome| {
            endings.push(outcome.ending.clone());
        });
        endings.dedup();
        assert_eq!(endings.len(), 1, "{endings:?}");
        endings.pop()
    };
    assert!(matches!(ending(65536), Some(Ending::Value(_))));
    // 65536 · 2³⁴ and (-2³¹ - 65536) · 2⁶² are 0 in 32 bits.
    let gives_up = Cause::Width.gives_up().map(Ending::Unknown);
    assert_eq!(ending(131_072), gives_up);
    assert_eq!(ending(i32::MIN), gives_up);
}

#[test]
fn blocks_that_nest_too_deeply_are_refused() {
    let mut body = "y <- x".to_owned();
    for depth in 0..120 {
        body = format!("y <- x - {depth}; if y then {body} else skip fi");
    }
    let stages = compile(&map(&body), &Plan::default());
    match stages.stop {
        Some(Stop::Refused("emit", refused)) => assert!(refused.reason.contains("deeper")),
        other => panic!("{other:?}"),
    }
}

/// A long sum nests deeply to the left.
#[test]
fn long_expressions() {
    let terms = vec!["x"; 200].join(" + ");
    gives(&map(&format!("y <- {terms}")), "2, [1, -7]", "[200, -1400]");
}

#[cfg(feature = "faults")]
#[test]
fn a_dropped_index_check_is_seen() {
    use reference::kit::faults::{Fault, Planted};
    let source = "param (n : int) (xs : mem [n])
        var out : mem;
        out <- alloc n;
        kernel i <= 1 do
          var v : int;
          check index(n + 1, n);
          v <- xs[0];
          out[0] <- v
        done
        results (out : [n] @ 0 + {(n : 1)})";
    gets_stuck(source, "1, [4]", ("index", "check"), &[1], &[2, 1]);
    let cx = Plan { planted: Planted::new(Fault::B1), ..Plan::default() };
    run_all(&compile(source, &cx), "1, [4]", |stage, outcome| {
        assert!(matches!(outcome.ending, Ending::Value(_)), "after {stage}");
    });
}
