//! The parser and the printer.

use crate::kit::same::same;
use crate::kit::text::{Limit, MAX_NESTING, MAX_SOURCE, Rejected, Span};
use crate::lambda_g::{parse, print};
use expect_test::{Expect, expect};

/// The program as it is printed; what is printed is read as the same program.
fn printed(source: &str) -> String {
    let program = parse::program(source).unwrap_or_else(|no| panic!("{source}: {no:?}"));
    let text = print::program(&program);
    let again = parse::program(&text).unwrap_or_else(|no| panic!("{text}: {no:?}"));
    assert!(same(&program, &again), "{source}\n{text}");
    text
}

fn check(source: &str, expected: Expect) {
    expected.assert_eq(&printed(source));
}

fn refused(source: &str) -> Rejected {
    let Err(refused) = parse::program(source) else { panic!("{source} is read") };
    refused
}

/// The words at both places, and what is said.
fn refusal(source: &str) -> String {
    let refused = refused(source);
    let text = |span: Span| source.get(span.start as usize..span.end as usize).unwrap_or_default();
    let rule = refused.rule.map_or(String::new(), |(rule, premise)| format!("{rule} {premise}: "));
    let mut lines = format!("{source}\n    {rule}{}\n", refused.message);
    lines += &format!("    {} <- {}\n", text(refused.span), refused.label);
    if let Some(second) = refused.second {
        lines += &format!("    {} <- {}\n", text(second.span), second.label);
    }
    lines + &refused.help.map_or(String::new(), |help| format!("    help: {help}\n"))
}

fn refusals(sources: &[&str], expected: Expect) {
    expected.assert_eq(&sources.iter().map(|source| refusal(source)).collect::<String>());
}

#[test]
fn the_example_of_section_7_is_read_and_printed() {
    check(
        "param arrs : (Vec ((int, r0) * (int, r0), r0), r0);
         on parmap (fn (p : ((int, r0) * (int, r0), r0)) ! {r0} => fst p * snd p at r0 at r0) arrs at r0 at r0",
        expect![[r#"
            param arrs : (Vec ((int, r0) * (int, r0), r0), r0);
            on
              parmap (fn (p : ((int, r0) * (int, r0), r0)) ! {r0} =>
                fst p * snd p at r0 at r0) arrs at r0 at r0
        "#]],
    );
}

#[test]
fn every_form_is_read_and_printed() {
    let forms = [
        "letregion s@C of 100 in if true then 1 at r0 else -2147483648 at r0",
        "rfn q >= {r0} ! {q, r0, host} => fn (x : (int, q)) ! {q} => x + x at q at q at r0",
        "fix f : ((int, r0) -> {r0} (int, r0), r0) . fn (n : (int, r0)) ! {r0} => f (-1 at r0) at r0",
        "param f : bool; (f || not f at r0, [1 at r0, 2 at r0] at r0) at r0",
        "param v : (Vec (int, r0), r0); v ! 0 at r0 + length v at r0 at r0 min v ! (v ! 1 at r0) at r0",
        "param v : bool; letregion q in (v v [q] v) [v] at q [q] (v, v) at q",
        "param f : bool; parmap f [r0] [f, f] at r0",
        "param f : bool; letregion q in parmap f [q] ([f] at q) at q",
        "param f : bool; parmap (f f) (f f) at r0",
        "param a : bool; a and a or not a and a",
        "param a : (int, r0); (a < a and a <= a) == (a != a)",
        "let r0 = 1 at r0 in let x = r0 in (let x = x in x) x",
        "param g : (Pi q >= {} ! {q} . ((int, q) -> {} bool, r0), r0); g [r0] (iota 3 at r0 at r0)",
        "on let x = 1 at r0@G in snd (x, x) at r0 at r0@C",
        "param x : (int, r0); x - -1 at r0 at r0 - (x - x at r0) at r0",
        "param x : (int, r0); (fst x) x (fn (y : bool) ! {} => y at r0) (x < x)",
    ];
    expect![[r#"
        letregion s@C of 100 in
        if true
          then 1 at r0
          else -2147483648 at r0
        --
        rfn q >= {r0} ! {q, r0, host} =>
          fn (x : (int, q)) ! {q} =>
            x + x at q at q at r0
        --
        fix f : ((int, r0) -> {r0} (int, r0), r0) .
          fn (n : (int, r0)) ! {r0} =>
            f (-1 at r0) at r0
        --
        param f : bool;
        (f || (if f
          then false
          else true) at r0, [1 at r0, 2 at r0] at r0) at r0
        --
        param v : (Vec (int, r0), r0);
        v ! 0 at r0 + length v at r0 at r0 min v ! (v ! 1 at r0) at r0
        --
        param v : bool;
        letregion q in
        v v [q] v [v] at q [q] (v, v) at q
        --
        param f : bool;
        parmap f [r0] [f, f] at r0
        --
        param f : bool;
        letregion q in
        parmap f [q] ([f] at q) at q
        --
        param f : bool;
        parmap (f f) (f f) at r0
        --
        param a : bool;
        if if a
          then a
          else false
          then true
          else if if a
            then false
            else true
            then a
            else false
        --
        param a : (int, r0);
        (if a < a
          then a <= a
          else false) == (a != a)
        --
        let r0_1 = 1 at r0 in
        let x = r0_1 in
        (let x_1 = x in
        x_1) x
        --
        param g : (Pi q >= {} ! {q} . ((int, q) -> {} bool, r0), r0);
        g [r0] (iota 3 at r0 at r0)
        --
        on
          let x = 1 at r0@G in
          snd (x, x) at r0 at r0@C
        --
        param x : (int, r0);
        x - -1 at r0 at r0 - (x - x at r0) at r0
        --
        param x : (int, r0);
        (fst x) x (fn (y : bool) ! {} =>
          y at r0) (x < x)
    "#]]
    .assert_eq(&forms.map(printed).join("--\n"));
}

#[test]
fn wrong_syntax_is_refused_with_its_place() {
    refusals(
        &[
            "",
            "1 at",
            "param x : bool y",
            "2147483648 at r0",
            "1.5 at r0",
            "[] at r0",
            "(1 at r0, 2 at r0, 3 at r0) at r0",
            "1 at r0 > 2 at r0",
            "1 at r0 < 2 at r0 < 3 at r0",
            "fn (x) => x at r0",
            "param x : int * int * int; x",
            "param x : (bool, r0); x",
            "1 at r0@H",
            "let host = true in true",
            "- true",
            "not not true",
            "let p = (1 at r0, 2 at r0) at r0 in snd p p",
            "letregion r of -1 in true",
            "letregion r of 2147483648 in true",
            "param x : ((int, r0), r0); x",
            "true true)",
            "if true then false",
        ],
        expect![[r#"

                the source is empty
                 <- expected an expression
            1 at
                the source ends too early
                t <- expected a region
            param x : bool y
                the name `y` is not expected here
                y <- expected `;`
            2147483648 at r0
                a number out of range
                2147483648 <- does not fit
                help: ints go from -2147483648 to 2147483647
            1.5 at r0
                a number with a point
                1.5 <- not an int
                help: the numbers of λG are ints
            [] at r0
                `[]` has no type
                [] <- empty
                help: `iota (0 at r) at r` is a vector of ints without elements
            (1 at r0, 2 at r0, 3 at r0) at r0
                `,` is not expected here
                , <- expected `)`
                help: nest pairs for more: `(a, (b, c) at r) at r`
            1 at r0 > 2 at r0
                there is no comparison `>`
                > <- not expected
                help: write `b < a` for `a > b`
            1 at r0 < 2 at r0 < 3 at r0
                comparisons do not chain
                < <- a second comparison
                help: write `a < b and b < c`
            fn (x) => x at r0
                `)` is not expected here
                ) <- expected `:`
            param x : int * int * int; x
                a pair has two parts
                * <- a third one
                help: nest pairs for more: `a * (b * c)`
            param x : (bool, r0); x
                a `bool` lies in no region
                (bool, r0) <- a `bool`
                help: write `bool` alone
            1 at r0@H
                the name `H` is not expected here
                H <- expected `C`, the host, or `G`, the device
            let host = true in true
                the keyword `host` is not expected here
                host <- expected a name
            - true
                the keyword `true` is not expected here
                true <- expected a number
                help: `0 at r - e at r` is the negative of `e`
            not not true
                the keyword `not` is not expected here
                not <- expected an expression
                help: an operand or argument goes in parentheses: `(not …)`
            let p = (1 at r0, 2 at r0) at r0 in snd p p
                the name `p` is not expected here
                p <- expected an operator, or the end of the expression
                help: `(snd p) e` applies a part of `p` to `e`
            letregion r of -1 in true
                `-` is not expected here
                - <- expected how many words the region has
            letregion r of 2147483648 in true
                a number out of range
                2147483648 <- does not fit
                help: ints go from -2147483648 to 2147483647
            param x : ((int, r0), r0); x
                a type lies in one region
                ((int, r0), r0) <- a second region
                r0 <- the first one
            true true)
                `)` is not expected here
                ) <- expected the end of the program
            if true then false
                the source ends too early
                e <- expected `else`
        "#]],
    );
}

#[test]
fn names_that_nothing_binds_are_refused_by_a_rule() {
    refusals(
        &[
            "count",
            "let counter = true in countr",
            "1 at r1",
            "letregion region in 1 at regio",
            "letregion r in r",
            "let x = true in 1 at x",
            "(letregion s in true) || (1 at s) at r0",
            "letregion r in letregion r in true",
            "letregion r0 in true",
            "letregion r in let r = true in letregion r in r",
            "letregion r in rfn r >= {} ! {} => true at r",
            "param p : (Pi q >= {q} ! {q} . bool, r0); p",
        ],
        expect![[r#"
            count
                T-VAR scope: `count` is not in scope
                count <- not bound
            let counter = true in countr
                T-VAR scope: `countr` is not in scope
                countr <- not bound
                help: there is `counter`
            1 at r1
                PLACE scope: the region `r1` is not in scope
                r1 <- not bound
                help: `letregion` makes a region, and `r0` is always there
            letregion region in 1 at regio
                PLACE scope: the region `regio` is not in scope
                regio <- not bound
                help: there is `region`
            letregion r in r
                T-VAR scope: `r` is a region, and no variable
                r <- a region
            let x = true in 1 at x
                PLACE scope: `x` is a variable, and no region
                x <- a variable
                help: `letregion` makes a region, and `r0` is always there
            (letregion s in true) || (1 at s) at r0
                PLACE scope: the region `s` is not in scope
                s <- not bound
                help: `letregion` makes a region, and `r0` is always there
            letregion r in letregion r in true
                REG-CONS fresh: there is a region `r` already
                r <- bound again
                r <- the first one
                help: call one of them otherwise
            letregion r0 in true
                REG-CONS fresh: there is a region `r0` already
                r0 <- bound again
                help: `r0` is the region of the parameters; call this one otherwise
            letregion r in let r = true in letregion r in r
                REG-CONS fresh: there is a region `r` already
                r <- bound again
                r <- the first one
                help: call one of them otherwise
            letregion r in rfn r >= {} ! {} => true at r
                REG-CONS fresh: there is a region `r` already
                r <- bound again
                r <- the first one
                help: call one of them otherwise
            param p : (Pi q >= {q} ! {q} . bool, r0); p
                PLACE scope: the region `q` is not in scope
                q <- not bound
                help: `letregion` makes a region, and `r0` is always there
        "#]],
    );
    // Siblings may have one name.
    printed("(letregion r in true) || (letregion r in true) at r0");
}

#[test]
fn what_is_too_deep_or_too_long_is_refused() {
    let deep = |open: &str, close: &str| {
        refused(&format!("{}true{}", open.repeat(10_000), close.repeat(10_000))).limit
    };
    assert_eq!(deep("(", ")"), Some(Limit::Nesting));
    assert_eq!(deep("if true then ", " else true"), Some(Limit::Nesting));
    let regions: String = (0..300).map(|number| format!("letregion q{number} in ")).collect();
    assert_eq!(refused(&regions).limit, Some(Limit::Nesting));
    assert_eq!(deep("let x = true in ", ""), Some(Limit::Nesting));
    assert_eq!(deep("not (", ")"), Some(Limit::Nesting));
    let sum = |terms: usize| format!("true{}", " + true at r0".repeat(terms));
    assert_eq!(refused(&sum(MAX_NESTING)).limit, Some(Limit::Operators));
    printed(&sum(MAX_NESTING - 1));
    let applied = format!("true{}", " true".repeat(100_000));
    assert_eq!(refused(&applied).limit, Some(Limit::Operators));
    let ty = format!("param x : {}bool", "(Vec ".repeat(300));
    assert_eq!(refused(&ty).limit, Some(Limit::Nesting));
    assert_eq!(refused(&" ".repeat(MAX_SOURCE + 1)).limit, Some(Limit::Length));
}

/// Whatever tokens a program is made of, it is read or refused with a place in it.
#[test]
fn no_tokens_do_harm() {
    const WORDS: &str = "param x : ; bool ( int , r0 ) Vec * -> { host } Pi q >= ! . fn => at rfn fix f \
                         letregion of in let = if then else on || or and not < == + - min fst iota parmap [ ] 1 true @ C";
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut state = 1_u64;
    for _ in 0..20_000 {
        let mut source = String::new();
        for _ in 0..12 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            source += words[(state >> 33) as usize % words.len()];
            source += " ";
        }
        if let Err(refused) = parse::program(&source) {
            assert!(refused.span.end as usize <= source.len(), "{source}");
        }
    }
}
