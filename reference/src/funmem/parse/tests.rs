//! The text of FUNMEM both ways; what it shares with FUN is tested there.

use crate::fun::parse::tests::shown;
use crate::funmem::{parse, print};
use crate::kit::same::same;
use expect_test::{Expect, expect};

/// `source` parses, its core prints as `expected`, and that text parses to it again.
fn check(source: &str, expected: Expect) {
    let program = parse::program(source).unwrap_or_else(|error| panic!("{}", shown(source, error)));
    let text = print::program(&program);
    expected.assert_eq(&text);
    let again = parse::program(&text).unwrap_or_else(|error| panic!("{}", shown(&text, error)));
    assert!(same(&program, &again), "{text}");
}

/// `source` is refused like this.
fn refused(source: &str, expected: Expect) {
    match parse::program(source) {
        Ok(program) => panic!("accepted:\n{}", print::program(&program)),
        Err(error) => expected.assert_eq(&shown(source, error)),
    }
}

#[test]
fn figure_7() {
    check(
        "param (x_size : int) (y_size : int) (z_cond : int)
         let (z_size : int)
             (z_mem : mem) (z_arr : [z_size] @ z_mem -> R(z_size)) =
           if z_cond
           then let (x_mem : mem) = alloc x_size
                let (x : [x_size] @ x_mem -> R(x_size)) = iota x_size
                in (x_size, x_mem, x)
           else let (y_mem : mem) = alloc y_size
                let (y : [y_size] @ y_mem -> R(y_size)) = iota y_size
                in (y_size, y_mem, y)
         in (z_mem, z_arr)",
        expect![[r#"
            param (x_size : int) (y_size : int) (z_cond : int)
            let (z_size : int) (z_mem : mem) (z_arr : [z_size] @ z_mem -> R(z_size)) = if z_cond
              then
                let (x_mem : mem) = alloc x_size
                let (x : [x_size] @ x_mem -> R(x_size)) = kernel i <= x_size do
                  in (i)
                in (x_size, x_mem, x)
              else
                let (y_mem : mem) = alloc y_size
                let (y : [y_size] @ y_mem -> R(y_size)) = kernel i_1 <= y_size do
                  in (i_1)
                in (y_size, y_mem, y)
            in (z_mem, z_arr)
        "#]],
    );
}

#[test]
fn index_functions() {
    check(
        "param (n : int) (m : int) (xs_mem : mem) (xs : [n][m] @ xs_mem -> R(n, m))
         let (ys : [m][n] @ xs_mem -> 0 + {(m : 1) (n : m)}) = transpose xs
         let (k : int) = n / 2
         let (zs : [k] @ xs_mem -> (n - 1) * m + {(k : -1)}) = xs[1 : k, 1 : 1]
         let (us : [k] @ xs_mem -> (-1 & k) + {(k : 0 - m * (n - -2))}) = zs[1 : k]
         let (cs_mem : mem) = alloc n * m
         let (cs : [n][m] @ cs_mem -> 0 + {(n : m) (m : 1)}) = copy xs
         let (ds : [n - 1] @ cs_mem -> -1 + {(n - 1 : 1)}) = us with [1] = xs[1, n - 1]
         in (cs_mem, cs)",
        expect![[r#"
            param (n : int) (m : int) (xs_mem : mem) (xs : [n][m] @ xs_mem -> R(n, m))
            let (ys : [m][n] @ xs_mem -> 0 + {(m : 1) (n : m)}) = transpose xs
            let (k : int) = n / 2
            let (zs : [k] @ xs_mem -> (n - 1) * m + {(k : -1)}) = xs[1 : k, 1 : 1]
            let (us : [k] @ xs_mem -> ((-1) & k) + {(k : 0 - m * (n - (-2)))}) = zs[1 : k]
            let (cs_mem : mem) = alloc n * m
            let (cs : [n][m] @ cs_mem -> R(n, m)) = copy xs
            let (t : int) = n - 1
            let (e : int) = xs[1, t]
            let (ds : [t] @ cs_mem -> (-1) + {(t : 1)}) = us with [1 : 1] = e
            in (cs_mem, cs)
        "#]],
    );
}

#[test]
fn memory_that_is_left_out() {
    refused(
        "param (n : int) (xs : [n]) in (n)",
        expect![[r#"
        an array without memory
        line 1, `[n]`: no block and no index function
        help: write `[n] @ x_mem -> R(n)`
    "#]],
    );
    refused(
        "param (n : int) (xs : [n] @ m -> R(n)) in (n)",
        expect![[r#"
        the name `m` is not bound (T-VAR scope)
        line 1, `m`: not in scope
    "#]],
    );
    refused(
        "param (m : mem) (xs : [2] @ m -> {(2 : 1)}) in (m, xs)",
        expect![[r#"
        `{` is not expected here
        line 1, `{`: expected an expression or `R`
    "#]],
    );
    refused(
        "param (m : mem) (xs : [2] @ m -> R(2)) in (xs[1 : 1])",
        expect![[r#"
        an array that no annotation gives memory
        line 1, `xs[1 : 1]`: has no name and so no block
        help: bind it with a `let` of its own, with its block and index function
    "#]],
    );
    refused(
        "let (m : mem) = alloc 4
         let (xs : [2][2] @ m -> R(2, 2)) = [[1, 2], [3, 4]]
         in (m, xs)",
        expect![[r#"
            an array that no annotation gives memory
            line 2, `[[1, 2], [3, 4]]`: has no name and so no block
            help: bind it with a `let` of its own, with its block and index function
        "#]],
    );
}

#[test]
fn ranks_are_bounded() {
    let sizes = "1, ".repeat(1_000_000);
    refused(
        &format!("param (m : mem) (x : [1] @ m -> R({sizes})) in (m)"),
        expect![[r#"
        an array of more than 16 dimensions
        line 1, `1`: one too many
    "#]],
    );
}
