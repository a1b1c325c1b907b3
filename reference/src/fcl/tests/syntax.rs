//! Parser and printer.

use crate::fcl::parse::prelude;
use crate::fcl::syntax::{Exp, Kind, Level, Op, Program};
use crate::fcl::{PRELUDE, parse, print};
use crate::kit::same::same;
use crate::kit::text::Rejected;

fn program(source: &str) -> Program {
    parse::program(source).unwrap_or_else(|no| panic!("{source}: {no:?}"))
}

fn refused(source: &str) -> Rejected {
    match parse::program(source) {
        Ok(program) => panic!("{source} is read as {}", print::program(&program)),
        Err(refused) => refused,
    }
}

/// The print of a program, which parses to the same program.
fn printed(source: &str) -> String {
    let one = program(source);
    let text = print::program(&one);
    let again = parse::program(&text).unwrap_or_else(|no| panic!("{text}: {no:?}"));
    assert!(same(&one, &again), "{source}\nis printed as\n{text}");
    text
}

/// The print of an expression.
fn line(source: &str) -> String {
    let source = format!("val it = {source}");
    printed(&source);
    let program = program(&source);
    print::exp(&program.names, &program.defs[0].body)
}

#[test]
fn minimal_brackets_are_kept() {
    let kept = [
        "1 - 2 - 3",
        "1 - (2 - 3)",
        "(1 + 2) * 3 / 4 % 5",
        "1 + 2 << 3 & 4 >> 5",
        "(1 < 2) == (3 < 4)",
        "true || 1 < 2 && 1 == 2",
        "(true || 1 < 2) && not (1 == 2)",
        "index [1, 2] (-1)",
        "1 - (-1)",
        "-1",
        "[-1, 2]",
        "(-2147483648, 2147483647)",
        "fn x y => x + y",
        "fn (x, y) z => x + y * z",
        "fn ((x, y), z) => x + y + z",
        "mapPull (fn x => x * 2) [1, 2]",
        "fn <l, m> => push <l>",
        "force . push <block> . mapPull (addi 1)",
        "(force . push <block>) [1]",
        "fn f => push <1+grid>",
        "fn <l> => push <1+1+l>",
        "if true then 1 else if false then 2 else 3",
        "(if true then 1 else 2) + 1",
        "let x = 1 in x",
        "(let x = 1 in x) + 1",
        "fn a b => ((a < b), a > b)",
        "fn a b => [(a < 1 + b), a > b]",
        "fn a b => (a > b, a < b)",
        "1.5e300",
        "addd 0.0 1.0e-7",
        "(fst (1, 2), snd (1, 2))",
        "#BlockSize * #WarpSize",
    ];
    for source in kept {
        assert_eq!(line(source), source);
    }
}

#[test]
fn derived_forms_are_core() {
    let alike = [
        ("fn e f => e |> f", "fn e f => f e"),
        ("fn f g => f . g", "fn f g => fn x => f (g x)"),
        ("fn f g h => f . g . h", "fn f g h => f . (g . h)"),
        ("1 + 2 == 3 && true", "if eqi (addi 1 2) 3 then true else false"),
        ("false || 1 != 2", "if false then true else neqi 1 2"),
        ("fn (x, y) => x", "fn p => let x = fst p; y = snd p in x"),
        ("length (map negi [1])", "lengthPull (mapPull negi [1])"),
        ("7 div 2 mod 3", "modi (divi 7 2) 3"),
        ("fn <l, m> => 1", "fn <l> => fn <m> => 1"),
        ("push <thread>", "push <Z>"),
        ("push <grid>", "push <1 + 1 + (1 + Z)>"),
        ("let f <l> = push <l> in 1", "let f = fn <l> => push <l> in 1"),
        ("let a = 1 b = a in b", "let a = 1 in let b = a in b"),
        ("- 1 + 2", "addi (-1) 2"),
    ];
    for (one, other) in alike {
        let program = |body| program(&format!("val it = {body}"));
        assert!(same(&program(one), &program(other)), "{one} is not {other}");
        printed(&format!("val it = {one}"));
    }
}

#[test]
fn levels_open_where_levels_and_a_bracket_follow() {
    let body = |source| program(&format!("fun main f a b c = {source}")).defs[0].body.clone();
    let inner = |mut exp: Exp| {
        while let Kind::Fn(_, body) = exp.kind {
            exp = *body;
        }
        exp
    };
    let level = inner(body("f <block> a"));
    let Kind::App(parts) = &level.kind else { panic!("it is applied") };
    assert!(matches!(parts[0].kind, Kind::LevelApp(_, Level::BLOCK)));
    for comparison in ["a < b", "a < (b + 1)", "a < 1 + 1", "a < b c", "a < b && b > c", "a <b"] {
        let exp = inner(body(comparison));
        let op = exp.as_op().map(|(op, ..)| op);
        assert!(op == Some(Op::Lt) || matches!(exp.kind, Kind::If(_)), "{comparison}: {exp:?}");
    }
    assert!(matches!(inner(body("a < (1 + block), Z >")).kind, Kind::LevelApp(..)));
    let text = printed("val f<l>=push<l>\nval it = fn<l>=>let g<l>=1 in g<l>");
    assert_eq!(
        text,
        "val f <l> =\n  push <l>\n\nval it <l_1> =\n  let g <l_2> = 1\n  in g <l_1>\n"
    );
}

#[test]
fn the_prelude_is_fcl_and_programs_get_what_they_use() {
    let text = printed(prelude::TEXT);
    assert!(text.contains("fun transposeTiled tileDim cols"), "{text}");
    let program = program("fun main xs = push <grid> (take 1 (reverse (last [xs])))");
    let names: Vec<_> = program.defs.iter().map(|def| program.names.text(def.name)).collect();
    assert_eq!(names, ["reverse", "take", "last", "main"]);
    let (main, of_prelude) = program.defs.split_last().expect("there are four");
    assert!(of_prelude.iter().all(|def| def.prelude && def.body.span.start >= PRELUDE));
    assert!(!main.prelude && main.body.span.end < PRELUDE);
}

#[test]
fn a_name_of_the_prelude_or_of_an_operator_may_be_bound() {
    let text = printed("fun take x = x  fun main force = push <grid> (take [force])");
    assert_eq!(text, "fun take x =\n  x\n\nfun main force_1 =\n  push <grid> (take [force_1])\n");
    let text = printed("fun take x = x  fun main xs = push <grid> (fst (splitAt (take 1) xs))");
    assert!(text.starts_with("fun take_1 x"), "that of the prelude is used too: {text}");
}

#[test]
fn signatures_give_the_levels_that_a_function_leaves_out() {
    let source = "sig f : <l, m> -> [a]<l> -> [b]<m>\nfun f <k> x = push <m> (force x)";
    let text = printed(source);
    let expected =
        "sig f : <l> -> <m> -> ['a]<l> -> ['b]<m>\nfun f <k, m_1> x =\n  push <m_1> (force x)\n";
    assert_eq!(text, expected);
    let explicit = "sig f : forall <l> 'a. ['a]<l> -> 'b\nval f = f";
    assert_eq!(refused(explicit).rule, Some(("K-VAR", "scope")));
}

#[test]
fn what_is_no_program_is_refused_with_place_and_words() {
    let cases = [
        ("", "the source is empty", "expected `sig`, `fun` or `val`"),
        ("-- nothing", "there is no definition in the source", "expected `sig`, `fun` or `val`"),
        ("do <grid> { a <- xs }", "`do` is of another version of FCL", "not in the paper's FCL"),
        ("kernel f x = x", "`kernel` is of another version of FCL", "not in the paper's FCL"),
        ("val f = do <grid> { xs }", "`do` is of another version of FCL", "not in the paper's FCL"),
        (
            "sig f : Program <grid> [int]",
            "`Program` is of another version of FCL",
            "no type of FCL",
        ),
        ("sig f : string", "there is no type `string`", "no type of FCL"),
        ("val f = \"text\"", "FCL has no texts", "in quotes"),
        ("val f = (1, 2, 3)", "`,` is not expected here", "expected `)`"),
        ("val f = 1 < 2 < 3", "comparisons do not chain", "a second one"),
        ("val f = 2147483648", "a number out of range", "does not fit"),
        ("val f = 1.0e999", "a number out of range", "does not fit a double"),
        ("val f = 1 + fn x => x", "the keyword `fn` is not expected here", "expected an operand"),
        ("val f = -x", "the name `x` is not expected here", "expected a number"),
        ("val f = let x = 1", "the source ends too early", "expected `in` or another binding"),
        ("fun f = 1", "`=` is not expected here", "expected a parameter"),
        ("fun f <grid> x = 1", "`grid` is a level, not a variable", "bound here"),
        ("val f = 1 val f = 2", "`f` is defined twice", "again"),
        (
            "sig f : int val g = 1",
            "a `sig` of `f` stands before the definition of `g`",
            "not the name that is defined",
        ),
        ("sig f : [a]<a>", "`a` stands for a type and for a level", "here as the other one"),
        ("val f = (* (* *)", "a comment that does not end", "starts here"),
        ("val f = 12ab", "a number runs into a name", "neither a number nor a name"),
        ("val f = ?", "the character `?` means nothing here", "not understood"),
    ];
    for (source, message, label) in cases {
        let refused = refused(source);
        assert_eq!(
            (refused.message.as_str(), refused.label.as_str()),
            (message, label),
            "{source}"
        );
        assert!(refused.span.end as usize <= source.len(), "{source}");
    }
}

#[test]
fn names_are_bound_before_they_are_used() {
    let cases = [
        ("val f = sin 1", "T-VAR", None),
        ("val f = lenght [1]", "T-VAR", Some("there is `length`")),
        (
            "val f = generatePull 1 id",
            "T-VAR",
            Some("another version of FCL has it; here it is `generate`"),
        ),
        (
            "fun f x = f x",
            "T-VAR",
            Some(
                "a definition sees those before it, and not itself; what is repeated is a `while`",
            ),
        ),
        ("val f = push <l>", "K-VAR", None),
        (
            "sig f : forall 'a. 'b val f = 1",
            "K-VAR",
            Some("list it behind `forall`, or leave `forall` out"),
        ),
        ("fun f (x, y) = x val g = x", "T-VAR", None),
        ("fun f <l> x = x val g = push <l>", "K-VAR", None),
    ];
    for (source, rule, help) in cases {
        let refused = refused(source);
        assert_eq!(refused.rule, Some((rule, "scope")), "{source}");
        assert!(help.is_none_or(|help| refused.help.as_deref() == Some(help)), "{refused:?}");
    }
}

#[test]
fn what_is_as_deep_as_may_be_is_read_and_printed() {
    let most = parse::MAX_DEPTH - 8;
    let lets: String = (0..most).map(|k| format!("let x{k} = {k} in ")).collect();
    let deep = [
        format!("val f = {lets} 1"),
        format!("val f = {}1{}", "(".repeat(250), ")".repeat(250)),
        format!("val f = 1{}", " + 1".repeat(120)),
        format!("val f = {} 1", "fn x => ".repeat(250)),
        format!("val f = {} 1", "if true then 1 else ".repeat(250)),
        format!("val f = id{}", " . id".repeat(80)),
        format!("val f = {}1{}", "[".repeat(250), "]".repeat(250)),
        format!("fun f {} = 1", "(".repeat(100) + "x" + &", y)".repeat(100)),
        format!("sig f : {} int val f = 1", "int -> ".repeat(250)),
    ];
    for source in &deep {
        let text = printed(source);
        assert!(text.len() < 1 << 20, "{} bytes", text.len());
        assert_eq!(program(source).clone(), program(source));
    }
    let too_deep = [
        format!("val f = {lets}{lets} 1"),
        format!("val f = {}1{}", "(".repeat(260), ")".repeat(260)),
        format!("val f = 1{}", " + 1".repeat(260)),
        format!("val f = {} 1", "fn x => ".repeat(260)),
        format!("val f = {} 1", "if true then 1 else ".repeat(100_000)),
        format!("val f = id{}", " . id".repeat(100_000)),
        format!("val f = id{}", " |> id".repeat(100_000)),
        format!("val f = {}", "[".repeat(100_000)),
        format!("fun f {} = 1", "(".repeat(300) + "x" + &", y)".repeat(300)),
        format!("fun f {} = 1", "x ".repeat(100_000)),
        format!("sig f : {} int val f = 1", "int -> ".repeat(100_000)),
        format!("sig f : {} int val f = 1", "<l> -> ".repeat(100_000)),
        format!("sig f : <{}l> -> int val f = 1", "l, ".repeat(100_000)),
        format!("val f = push <{}Z>", "1+".repeat(100_000)),
        format!("val f = {} 1", "let x = ".repeat(100_000)),
        format!("val f = 1{}", " <Z>".repeat(100_000)),
    ];
    for source in &too_deep {
        assert!(refused(source).limit.is_some(), "{}", &source[..40]);
    }
}

/// A pair that is taken apart and a composition have variables that nobody wrote. They take no name away.
#[test]
fn names_that_are_printed_are_kept() {
    let text = printed(
        "val f = negi . absi fun g (a, b) = a + b val h = fn x => fn x_1 => fn pair => x + x_1 + pair",
    );
    assert!(text.contains("fun h x x_1 pair =") || text.contains("fn x x_1 pair =>"), "{text}");
    assert_eq!(printed(&text), text);
}
