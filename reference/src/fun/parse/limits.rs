//! What no source can do to the parser: nesting, length, and random changes.

use super::tests::{refused, shown};
use crate::fun::{parse, print};
use crate::kit::same::same;
use expect_test::expect;

#[test]
fn deep_nesting() {
    let parens = |n: usize| format!("in ({}1{})", "(".repeat(n), ")".repeat(n));
    assert!(parse::program(&parens(200)).is_ok());
    refused(
        &parens(200_000),
        expect![[r#"
        nested deeper than 256
        line 1, `(`: one level too many
        help: name a part of it with a `let` of its own
    "#]],
    );
    let sum = |n: usize| format!("in (1{})", " + 1".repeat(n));
    assert!(parse::program(&sum(200)).is_ok());
    refused(
        &sum(1_000_000),
        expect![[r#"
        more than 256 operators in one another
        line 1, `1 + 1 + 1 + 1 + 1 + 1 + `: one operator too many
        help: `a + b + c` is `(a + b) + c`; name a part of it with a `let` of its own
    "#]],
    );
    refused(
        &format!("in ({}1)", "- ".repeat(500_000)),
        expect![[r#"
        more than 256 operators in one another
        line 1, `- - - - - - - - - - - - `: one operator too many
        help: `a + b + c` is `(a + b) + c`; name a part of it with a `let` of its own
    "#]],
    );
    refused(
        &format!("param (x : int) in (x{})", "[1]".repeat(500_000)),
        expect![[r#"
        more than 256 operators in one another
        line 1, `x[1][1][1][1][1][1][1][1`: one operator too many
        help: `a + b + c` is `(a + b) + c`; name a part of it with a `let` of its own
    "#]],
    );
    let ifs = |n: usize| {
        let open = "let (x : int) = if 1 then ".repeat(n);
        let close = " in (1) else in (2)".repeat(n);
        format!("{open}{close} in (1)")
    };
    let deep = parse::program(&ifs(240)).expect("240 levels are fine");
    let text = print::program(&deep);
    assert!(same(&deep, &parse::program(&text).expect("what prints parses")));
    refused(
        &ifs(100_000),
        expect![[r#"
        the source is too long: 4.3 MiB
        line 1, ``: starts here
        help: a source has at most 4 MiB
    "#]],
    );
    refused(
        &ifs(255),
        expect![[r#"
        nested deeper than 256
        line 1, `in (1)`: one level too many
        help: name a part of it with a `let` of its own
    "#]],
    );
}

const MATRIX: &str = "(x : [1][1][1][1][1][1][1][1])";

#[test]
fn long_sources() {
    refused(
        &" ".repeat(10 << 20),
        expect![[r#"
        the source is too long: 10.0 MiB
        line 1, ``: starts here
        help: a source has at most 4 MiB
    "#]],
    );
    refused(
        &"\u{FFFD}x$".repeat(500_000),
        expect![[r#"
        a byte that is no text means nothing here
        line 1, `�`: not understood
    "#]],
    );
    let mark = parse::program("\u{FEFF}in (1)").expect_err("nobody sees the first character");
    assert_eq!(mark.message, "a byte order mark, U+FEFF, means nothing here");
    // Four megabytes that are good end too.
    let many = "let (x : int) = x + 1\n".repeat(180_000);
    assert!(parse::program(&format!("param (x : int) {many} in (x)")).is_ok());
    let wide = format!("in ({})", "1, ".repeat(1_300_000));
    assert!(parse::program(&wide).is_ok());
    let copies = format!("param {MATRIX} in ({})", "copy x, ".repeat(500_000));
    refused(
        &copies,
        expect![[r#"
        a program of more than 524288 names
        line 1, `copy x`: one too many
        help: every part of an expression has a name in the core
    "#]],
    );
    let deep = format!("param (x : {}) in (copy x)", "[1]".repeat(1_000_000));
    refused(
        &deep,
        expect![[r#"
        an array of more than 16 dimensions
        line 1, `1`: one too many
    "#]],
    );
    refused(
        &format!("in ([{}])", "1, ".repeat(1_300_000)),
        expect![[r#"
        array literals of more than 32768 elements
        line 1, `1`: one too many
        help: pass the array as a parameter
    "#]],
    );
}

/// No source makes the parser panic: programs with random bytes changed.
#[test]
fn mutated_sources() {
    const SEEDS: [&str; 3] = [
        "param (n : int) (xs : [n]) let (y : [n]) = kernel i <= n do in (xs[i] * 2) in (y)",
        "let (s : int) (t : [s]) = if 1 then in (2, iota 2) else in (3, [1, 2, 3]) in (t, s)",
        "param (a : [2][2]) let (b : [2][2]) = loop (c : [2][2] = copy a) for i <= 3 do
         let (d : [2][2]) = c with [1 : 1, i : 1 : -1] = min(i, 4) in d in (transpose b)",
    ];
    const PARTS: [&str; 16] = [
        "(",
        ")",
        "[",
        "]",
        "let",
        " in ",
        "--",
        "1",
        "-",
        "x",
        ":",
        "@ m -> R(n)",
        "{",
        "if",
        "é",
        "concat",
    ];
    let mut state = 1u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (state >> 33) as usize % below
    };
    let mut accepted = 0;
    for round in 0..4000 {
        let mut source = SEEDS[round % SEEDS.len()].to_owned();
        for _ in 0..=next(3) {
            let at = next(source.len());
            let Some(rest) = source.get(at..) else { continue };
            let rest = rest.to_owned();
            source.truncate(at);
            match next(3) {
                0 => source += &rest.chars().skip(1).collect::<String>(),
                1 => source += &(PARTS[next(PARTS.len())].to_owned() + &rest),
                _ => source += &rest[rest.char_indices().nth(next(9)).map_or(0, |(at, _)| at)..],
            }
            if source.is_empty() {
                break;
            }
        }
        if let Ok(program) = parse::program(&source) {
            let text = print::program(&program);
            let again = parse::program(&text).unwrap_or_else(|e| panic!("{}", shown(&text, e)));
            assert!(same(&program, &again), "{text}");
            accepted += 1;
        }
    }
    assert!(accepted > 100, "{accepted} of 4000 were accepted: too few to show anything");
}
