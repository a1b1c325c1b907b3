//! The text of FUN both ways.

use crate::fun::{parse, print};
use crate::kit::same::same;
use crate::kit::text::Rejected;
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
pub(super) fn refused(source: &str, expected: Expect) {
    match parse::program(source) {
        Ok(program) => panic!("accepted:\n{}", print::program(&program)),
        Err(error) => expected.assert_eq(&shown(source, error)),
    }
}

/// Message, rule, place with its label, advice.
pub(crate) fn shown(source: &str, error: Rejected) -> String {
    let rule = error.rule.map_or(String::new(), |(rule, premise)| format!(" ({rule} {premise})"));
    let (start, end) = (error.span.start as usize, error.span.end as usize);
    let place: String = source[start..end].chars().take(24).flat_map(char::escape_debug).collect();
    let line = source[..start].matches('\n').count() + 1;
    let mut text = format!("{}{rule}\nline {line}, `{place}`: {}\n", error.message, error.label);
    if let Some(help) = error.help {
        text += &format!("help: {help}\n");
    }
    text
}

#[test]
fn the_core_prints_as_it_is_written() {
    let source = "\
param (n : int) (xs : [n])
let (y : [n]) = kernel i <= n do
  let (a : int) = xs[i]
  let (b : int) = a * 2
  in (b)
let (m : int) = 3
let (z : [n]) = loop (acc : [n] = y) (k : int = -1) for i_1 <= m do
  let (next : [n]) = acc with [1 : n] = k
  let (k_1 : int) = 3 - (-1)
  in (next, k_1)
let (w : [n]) = z with [1 : n] = 0
let (v : [n]) = w[n : n : -1]
let (c : int) = v[1]
let (s : int) (t : [s]) = if c
  then
    in (n, v)
  else
    in (m, w)
in (t, s)
";
    check(
        source,
        expect![[r#"
        param (n : int) (xs : [n])
        let (y : [n]) = kernel i <= n do
          let (a : int) = xs[i]
          let (b : int) = a * 2
          in (b)
        let (m : int) = 3
        let (z : [n]) = loop (acc : [n] = y) (k : int = -1) for i_1 <= m do
          let (next : [n]) = acc with [1 : n] = k
          let (k_1 : int) = 3 - (-1)
          in (next, k_1)
        let (w : [n]) = z with [1 : n] = 0
        let (v : [n]) = w[n : n : -1]
        let (c : int) = v[1]
        let (s : int) (t : [s]) = if c
          then
            in (n, v)
          else
            in (m, w)
        in (t, s)
    "#]],
    );
}

#[test]
fn figure_2() {
    check(
        "param (x_size : int) (y_size : int) (z_cond : int)
         let (z_size : int) (z_arr : [z_size]) = if z_cond
           then let (x : [x_size]) = iota x_size
                in (x_size, x)
           else let (x : [y_size]) = iota y_size
                in (y_size, x)
         in (z_size, z_arr)",
        expect![[r#"
            param (x_size : int) (y_size : int) (z_cond : int)
            let (z_size : int) (z_arr : [z_size]) = if z_cond
              then
                let (x : [x_size]) = kernel i <= x_size do
                  in (i)
                in (x_size, x)
              else
                let (x_1 : [y_size]) = kernel i_1 <= y_size do
                  in (i_1)
                in (y_size, x_1)
            in (z_size, z_arr)
        "#]],
    );
}

#[test]
fn parts_are_named_and_equal_sizes_have_one_name() {
    check(
        "param (n : int) (xs : [n])
         let (ys : [n + 1]) = kernel i <= n + 1 do
           in (xs[max(i - 1, 1)] * xs[1] + 1)
         let (zs : [n + 1][3]) = kernel i <= n + 1 do in (iota 3)
         in (transpose zs, ys[2 : n], ys[n + 1] - -4)",
        expect![[r#"
            param (n : int) (xs : [n])
            let (t : int) = n + 1
            let (ys : [t]) = kernel i <= t do
              let (t_1 : int) = max(i - 1, 1)
              let (e : int) = xs[t_1]
              let (e_1 : int) = xs[1]
              let (t_2 : int) = e * e_1 + 1
              in (t_2)
            let (zs : [t][3]) = kernel i_1 <= t do
              let (v : [3]) = kernel i_2 <= 3 do
                in (i_2)
              in (v)
            let (v_1 : [3][t]) = transpose zs
            let (v_2 : [n]) = ys[2 : n]
            let (e_2 : int) = ys[t]
            let (t_3 : int) = e_2 - (-4)
            in (v_1, v_2, t_3)
        "#]],
    );
}

#[test]
fn names_are_made_unique() {
    check(
        "param (x : int)
         let (x : int) = x + 1
         let (y : [x]) = kernel x <= x do let (y : int) = x in (y)
         in (x, y)",
        expect![[r#"
            param (x : int)
            let (x_1 : int) = x + 1
            let (y : [x_1]) = kernel x_2 <= x_1 do
              let (y_1 : int) = x_2
              in (y_1)
            in (x_1, y)
        "#]],
    );
}

#[test]
fn derived_forms() {
    check(
        "param (n : int) (m : int) (xs : [n][m])
         let (a : [2][1][m]) = replicate 2 (xs[1 : 1, 1 : m][1 : 1, 1 : m])
         in a",
        expect![[r#"
            param (n : int) (m : int) (xs : [n][m])
            let (v : [1][m]) = xs[1 : 1, 1 : m]
            let (v_1 : [1][m]) = v[1 : 1, 1 : m]
            let (a : [2][1][m]) = kernel i <= 2 do
              in (v_1)
            in (a)
        "#]],
    );
    check(
        "let (a : [3]) = [7, -4, 9]
         let (b : [5]) = concat a [1, 1]
         let (c : [2][2]) = [[1, 2], [1, ~a[1]]]
         in (copy b, -a[1], c, [])",
        expect![[r#"
            let (a : [3]) = kernel i <= 3 do
              let (t : int) = i < 2
              let (e_1 : int) = if t
                then
                  in (7)
                else
                  let (t_1 : int) = i < 3
                  let (e : int) = if t_1
                    then
                      in (-4)
                    else
                      in (9)
                  in (e)
              in (e_1)
            let (v : [2]) = kernel i_1 <= 2 do
              in (1)
            let (b : [5]) = kernel i_2 <= 5 do
              let (t_2 : int) = i_2 <= 3
              let (e_4 : int) = if t_2
                then
                  let (e_2 : int) = a[i_2]
                  in (e_2)
                else
                  let (t_3 : int) = i_2 - 3
                  let (e_3 : int) = v[t_3]
                  in (e_3)
              in (e_4)
            let (e_5 : int) = a[1]
            let (t_4 : int) = e_5 ^ (-1)
            let (c : [2][2]) = kernel i_3 <= 2 do
              let (v_1 : [2]) = kernel i_4 <= 2 do
                let (t_5 : int) = (i_3 - 1) * 2 + i_4
                let (t_6 : int) = t_5 < 3
                let (e_8 : int) = if t_6
                  then
                    let (t_7 : int) = t_5 < 2
                    let (e_6 : int) = if t_7
                      then
                        in (1)
                      else
                        in (2)
                    in (e_6)
                  else
                    let (t_8 : int) = t_5 < 4
                    let (e_7 : int) = if t_8
                      then
                        in (1)
                      else
                        in (t_4)
                    in (e_7)
                in (e_8)
              in (v_1)
            let (v_2 : [5]) = kernel i_5 <= 5 do
              let (e_9 : int) = b[i_5]
              in (e_9)
            let (e_10 : int) = a[1]
            let (t_9 : int) = 0 - e_10
            let (v_3 : [0]) = kernel i_6 <= 0 do
              in (0)
            in (v_2, t_9, c, v_3)
        "#]],
    );
}

#[test]
fn wrong_syntax() {
    refused(
        "",
        expect![[r#"
        the source is empty
        line 1, ``: expected `param`, `let` or `in`
    "#]],
    );
    refused(
        "-- only a comment\n",
        expect![[r#"
        the source ends too early
        line 1, `t`: expected `param`, `let` or `in`
    "#]],
    );
    refused(
        "let (x : int) = 3",
        expect![[r#"
        the source ends too early
        line 1, `3`: expected an operator, `let`, `in`, `with` or `[`
    "#]],
    );
    refused(
        "let (x : int) = 3 in (x",
        expect![[r#"
        the source ends too early
        line 1, `x`: expected an operator, `)`, `[` or `,`
    "#]],
    );
    refused(
        "let (x) = 3 in (x)",
        expect![[r#"
        `)` is not expected here
        line 1, `)`: expected `:`
    "#]],
    );
    refused(
        "let (x : int) = 3 + in (x)",
        expect![[r#"
            the keyword `in` is not expected here
            line 1, `in`: expected an expression
        "#]],
    );
    refused(
        "let (x : int) = 3 in (x) in (x)",
        expect![[r#"
        the keyword `in` is not expected here
        line 1, `in`: not expected
    "#]],
    );
    refused(
        "let (x : int) = 1 < 2 < 3 in (x)",
        expect![[r#"
        `<` is not expected here
        line 1, `<`: expected `let`, `in`, `|`, `^`, `&`, `<<` or `>>`
    "#]],
    );
    refused(
        "let (let : int) = 3 in (x)",
        expect![[r#"
        the keyword `let` is not expected here
        line 1, `let`: expected a name
    "#]],
    );
    refused(
        "let (x : int) = 3 $ 4 in (x)",
        expect![[r#"
        the character `$` means nothing here
        line 1, `$`: not understood
    "#]],
    );
    refused(
        "let (x : int) = 3x in (x)",
        expect![[r#"
        a number runs into a name
        line 1, `3x`: neither a number nor a name
        help: a name starts with a letter; put a space behind a number
    "#]],
    );
    refused(
        "let (x : int) = 1.5 in (x)",
        expect![[r#"
            a number is not expected here
            line 1, `1.5`: expected an expression, `if`, `kernel`, `loop` or `alloc`
        "#]],
    );
    refused(
        "in (\u{FFFD})",
        expect![[r#"
        a byte that is no text means nothing here
        line 1, `�`: not understood
    "#]],
    );
    refused(
        "in (\0)",
        expect![[r#"
        the control character 0x00 means nothing here
        line 1, `\0`: not understood
    "#]],
    );
}

#[test]
fn numbers_out_of_range() {
    refused(
        "in (2147483648)",
        expect![[r#"
        a number out of range
        line 1, `2147483648`: does not fit
        help: ints go from -2147483648 to 2147483647
    "#]],
    );
    refused(
        "in (99999999999999999999999)",
        expect![[r#"
        a number out of range
        line 1, `99999999999999999999999`: does not fit
        help: ints go from -2147483648 to 2147483647
    "#]],
    );
    refused(
        "in (3 - 2147483648)",
        expect![[r#"
        a number out of range
        line 1, `2147483648`: does not fit
        help: ints go from -2147483648 to 2147483647
    "#]],
    );
    check(
        "in (-2147483648, 2147483647, - -5, -0)",
        expect![[r#"
        let (t : int) = 0 - (-5)
        in (-2147483648, 2147483647, t, 0)
    "#]],
    );
}

#[test]
fn names_that_are_not_there() {
    refused(
        "param (count : int) in (cuont)",
        expect![[r#"
        the name `cuont` is not bound (T-VAR scope)
        line 1, `cuont`: not in scope
        help: did you mean `count`?
    "#]],
    );
    refused(
        "param (a : int) in (zebra)",
        expect![[r#"
        the name `zebra` is not bound (T-VAR scope)
        line 1, `zebra`: not in scope
    "#]],
    );
    refused(
        "let (y : [2]) = kernel i <= 2 do in (i) in (i)",
        expect![[r#"
            the name `i` is not bound (T-VAR scope)
            line 1, `i`: not in scope
        "#]],
    );
    refused(
        "let (y : [n]) = iota 2 in (y)",
        expect![[r#"
            the name `n` is not bound (T-VAR scope)
            line 1, `n`: not in scope
        "#]],
    );
    refused(
        "let (a : int) (a : int) = if 1 then in (1, 2) else in (1, 2) in (a)",
        expect![[r#"
        `a` is bound twice in one pattern
        line 1, `a`: bound here again
        help: give one of the two another name
    "#]],
    );
    refused(
        "param (a : int) (a : int) in (a)",
        expect![[r#"
        `a` is bound twice in one pattern
        line 1, `a`: bound here again
        help: give one of the two another name
    "#]],
    );
    refused(
        "let (x : int) = loop (i : int = 0) for i <= 2 do in (i) in (x)",
        expect![[r#"
        `i` is bound twice in one pattern
        line 1, `i`: bound here again
        help: give one of the two another name
    "#]],
    );
}

#[test]
fn what_cannot_be_named() {
    refused(
        "param (n : int) (xs : [n * 2]) in (n)",
        expect![[r#"
        a parameter's annotation holds an expression (T-PARAM scope)
        line 1, `n * 2`: neither a name nor a number
        help: make it an int parameter of its own, before this one
    "#]],
    );
    refused(
        "let (s : int) (t : [s + 1]) = if 1 then in (1, iota 2) else in (1, iota 2) in (s)",
        expect![[r#"
            an expression in an annotation uses a name of its own pattern (T-VAR scope)
            line 1, `s + 1`: must be known before the statement
            help: bind the value of the expression itself in the pattern
        "#]],
    );
    refused(
        "param (x : int) in (copy x)",
        expect![[r#"
        `copy` takes an array (T-INDEX type)
        line 1, `copy x`: `x` is none
    "#]],
    );
    refused(
        "param (xs : [3]) (ys : [2][3]) in (concat xs ys)",
        expect![[r#"
        `concat` of an array of rank 1 and one of rank 2 (T-INDEX rank)
        line 1, `concat xs ys`: ranks differ
    "#]],
    );
    refused(
        "param (xs : [2][3]) (ys : [2][2]) in (concat xs ys)",
        expect![[r#"
        `concat` of arrays whose rows have different sizes (T-KERNEL size)
        line 1, `concat xs ys`: sizes of the rows differ
        help: sizes are equal when they have the same name
    "#]],
    );
    refused(
        "param (xs : [2][3]) in (xs[1, 1 : 2])",
        expect![[r#"
        indices and ranges are mixed between these brackets
        line 1, `xs[1, 1 : 2]`: neither an index nor a slice
        help: write `i : 1` for a single row, or index element by element in a `kernel`
    "#]],
    );
    refused(
        "in ([[1, 2], [3]])",
        expect![[r#"
        the rows of this array differ in length
        line 1, `[3]`: not like the first row
    "#]],
    );
    refused(
        "in ([[1, 2], 3])",
        expect![[r#"
        the rows of this array differ in length
        line 1, `3`: not like the first row
    "#]],
    );
    refused(
        "in ([[[1]]])",
        expect![[r#"
        an array literal of more than two dimensions
        line 1, `[1]`: the third dimension
        help: pass the array as a parameter
    "#]],
    );
}

#[test]
fn memory_belongs_to_funmem() {
    refused(
        "param (n : int) (m : mem) in (n)",
        expect![[r#"
        FUN has no memory
        line 1, `mem`: only FUNMEM knows blocks
        help: drop the binding
    "#]],
    );
    refused(
        "param (n : int) (xs : [n] @ m -> R(n)) in (n)",
        expect![[r#"
        FUN has no memory
        line 1, `m -> R(n)`: only FUNMEM knows blocks
        help: leave out `@` and what follows it
    "#]],
    );
    refused(
        "let (m : int) = alloc 3 in (m)",
        expect![[r#"
        FUN has no memory
        line 1, `let (m : int) = alloc 3`: only FUNMEM knows blocks
        help: drop the statement: arrays need no allocation
    "#]],
    );
}
