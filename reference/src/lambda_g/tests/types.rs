//! The type system.

use super::corpus::programs;
use crate::kit::derivation::{Derivation, Recorder};
use crate::kit::text::{Limit, Rejected, Span};
use crate::lambda_g::{parse, types};
use expect_test::{Expect, expect};

fn checked(source: &str) -> Result<String, Rejected> {
    parse::program(source).and_then(|it| types::check(&it, &mut Recorder::counting()))
}

fn ty(source: &str) -> String {
    checked(source).unwrap_or_else(|no| panic!("{source}: {no:?}"))
}

/// Each program that is rejected: what is said, the words at both places, the help.
#[test]
fn each_refusal_names_its_places() {
    let mut text = String::new();
    for (name, _, source) in programs("reject") {
        let refused = checked(&source).expect_err(&name);
        let words = |span: Span| source[span.start as usize..span.end as usize].replace('\n', " ");
        let (rule, premise) = refused.rule.expect("it is refused by a rule");
        text += &format!("{rule} {premise}: {}\n", refused.message);
        text += &format!("    {} <- {}\n", words(refused.span), refused.label);
        if let Some(second) = refused.second {
            text += &format!("    {} <- {}\n", words(second.span), second.label);
        }
        if let Some(help) = refused.help {
            text += &format!("    help: {help}\n");
        }
    }
    expect![[r#"
        T-APP argument: this is `(int, q)`, and `(int, r0)` is wanted
            1 at q <- `(int, q)`
            fn (x : (int, r0)) ! {} => true at r0 <- takes `(int, r0)`
        T-APP effect: this reads the region `r0`, which is not in the effect `{}`
            f <- `r0` is read here
            {} <- this function does {}
            help: write `r0` into the effect behind `!`
        T-APP function: this is `(int, r0)`, and no function
            1 at r0 <- `(int, r0)`
        T-APP latent: what is applied uses the region `q`, which is not in `{r0}`
            f <- `(bool -> {q} bool, r0)`
            {r0} <- this function does {r0}
            help: write `q` into the effect behind `!`
        T-APP latent: what is applied makes regions or runs something on the device
            f <- `((int, r0) -> {r0, host} (int, r0), r0)` has the effect `host`
            on <- on the device here
        T-ARITH effect: this writes to the region `q`, which is not in the effect `{r0}`
            q <- `q` is written here
            {r0} <- this function does {r0}
            help: write `q` into the effect behind `!`
        T-ARITH operand: this is `((int, r0) * (int, r0), r0)`, and no int
            (1 at r0, 2 at r0) at r0 <- `((int, r0) * (int, r0), r0)`
        T-COMPARE effect: this reads the region `r0`, which is not in the effect `{}`
            x <- `r0` is read here
            {} <- this function does {}
            help: write `r0` into the effect behind `!`
        T-COMPARE operand: this is `bool`, and no int
            true <- `bool`
        T-FIX function: `fix` takes an `fn` or an `rfn`
            (fn (x : bool) ! {} => f x at r0, true) at r0 <- neither
        T-FIX type: this is `(bool -> {r0} bool, r0)`, and `(bool -> {} bool, r0)` is wanted
            fn (x : bool) ! {r0} => f x at r0 <- `(bool -> {r0} bool, r0)`
            (bool -> {} bool, r0) <- `(bool -> {} bool, r0)`
        T-FN effect: this writes to the region `q`, which is not in the effect `{}`
            q <- `q` is written here
            {} <- this function does {}
            help: write `q` into the effect behind `!`
        T-FN host: a function of the device has not the effect `host`
            host <- not on the device
            on <- on the device here
        T-FST effect: this reads the region `r0`, which is not in the effect `{}`
            p <- `r0` is read here
            {} <- this function does {}
            help: write `r0` into the effect behind `!`
        T-FST pair: this is `bool`, and no pair
            true <- `bool`
        T-PROGRAM parameter: the parameter `f` of the program is `((int, r0) -> {} (int, r0), r0)`
            ((int, r0) -> {} (int, r0), r0) <- a function is in it
            help: input is made of ints, bools, pairs and vectors
        BT-PI bound: `host` outlives no region
            host <- not a region
            help: `>=` names the regions that outlive the one that is bound; effects stand behind `!`
        T-IF branches: this is `(int, q)`, and `(int, r0)` is wanted
            1 at q <- `(int, q)`
            1 at r0 <- `(int, r0)`
        T-IF branches: this is `(bool -> {r0} bool, r0)`, and `(bool -> {} bool, r0)` is wanted
            fn (x : bool) ! {r0} => x at r0 <- `(bool -> {r0} bool, r0)`
            fn (x : bool) ! {} => x at r0 <- `(bool -> {} bool, r0)`
        T-IF condition: this is `(int, r0)`, and no bool
            1 at r0 <- `(int, r0)`
        T-INDEX effect: this reads the region `r0`, which is not in the effect `{}`
            v <- `r0` is read here
            {} <- this function does {}
            help: write `r0` into the effect behind `!`
        T-INDEX operand: this is `bool`, and no int
            true <- `bool`
        T-INDEX vector: this is `bool`, and no vector
            true <- `bool`
        T-INST abstraction: this is `bool`, and no region abstraction
            x <- `bool`
        T-INST bound: the region `r0` may live longer than `q`
            r0 <- not known to be `>= {q}`
            f <- `(Pi p >= {q} ! {} . bool, q)`
        T-INST effect: this reads the region `r0`, which is not in the effect `{}`
            f <- `r0` is read here
            {} <- this function does {}
            help: write `r0` into the effect behind `!`
        T-INST latent: what is applied uses the region `q`, which is not in `{r0}`
            f <- `(Pi p >= {} ! {p} . bool, r0)`
            {r0} <- this function does {r0}
            help: write `q` into the effect behind `!`
        T-INT effect: this writes to the region `r0`, which is not in the effect `{}`
            r0 <- `r0` is written here
            {} <- this function does {}
            help: write `r0` into the effect behind `!`
        T-IOTA effect: this writes to the region `q`, which is not in the effect `{r0}`
            q <- `q` is written here
            {r0} <- this function does {r0}
            help: write `q` into the effect behind `!`
        T-IOTA operand: this is `bool`, and no int
            true <- `bool`
        T-APP argument: this is `(int, q)`, and `(int, r0)` is wanted
            2 at q <- `(int, q)`
            f <- takes `(int, r0)`
            help: `r0` and `q` would have to be one region: write one of them at both places, or leave both out
        T-APP argument: this is `(int, r0)`, and `((int, r0) * (int, r1), r0)` is wanted
            n <- `(int, r0)`
            f <- takes `((int, r0) * (int, r1), r0)`
            help: `r1` is a region that is left out
        T-ON boxed: what `on` comes to is in no region
            n < 3 <- `bool`
            help: only what lies in a region is brought back: write an int, 0 or 1
        T-COMPARE effect: this reads the region `r0`, which is not in the effect `{}`
            x <- `r0` is read here
            {} <- this function does {}
            help: write `r0` into the effect behind `!`
        T-LETREGION escape: the region `q` ends here, and the result is `((int, r0) -> {r0, q} (int, r0), r0)`
            let x = n + (1) at q in fn (y : int) => x + y <- `q` is in its type
            q <- the region
            help: let the result lie in a region around this one
        T-APP latent: what is applied makes regions or runs something on the device
            f <- `((int, r1) -> {r0, r1, host} (int, r0), r1)` has the effect `host`
            on <- on the device here
            help: a function with `on` or `letregion` in it has the effect `host`: write these around it
        PLACE scope: this has to do with the region `q`, which is not in scope here
            x <- `q` is not bound here
            help: bind `q` around this, or write `at` another region where the value is made
        T-LENGTH effect: this writes to the region `q`, which is not in the effect `{r0}`
            q <- `q` is written here
            {r0} <- this function does {r0}
            help: write `q` into the effect behind `!`
        T-LENGTH vector: this is `bool`, and no vector
            true <- `bool`
        T-LESS effect: this reads the region `r0`, which is not in the effect `{}`
            x <- `r0` is read here
            {} <- this function does {}
            help: write `r0` into the effect behind `!`
        T-LESS operand: this is `bool`, and no int
            true <- `bool`
        T-LETREGION escape: the region `q` ends here, and the result is `(int, q)`
            1 at q <- `q` is in its type
            q <- the region
            help: let the result lie in a region around this one
        T-LETREGION escape: the region `q` ends here, and the result is `(bool -> {q} bool, r0)`
            fn (x : bool) ! {q} => x at r0 <- `q` is in its type
            q <- the region
            help: let the result lie in a region around this one
        T-LETREGION host: this makes a region, and `host` is not in the effect `{r0}`
            letregion q in x <- has the effect `host`
            {r0} <- this function does {r0}
            help: write `host` into the effect behind `!`
        T-LETREGION world: this makes a region, which only the host does
            letregion q in 1 at r0 <- here
            on <- on the device here
        T-MULT effect: this writes to the region `q`, which is not in the effect `{r0}`
            q <- `q` is written here
            {r0} <- this function does {r0}
            help: write `q` into the effect behind `!`
        T-MULT effect: this reads the region `q`, which is not in the effect `{r0}`
            x <- `q` is read here
            {r0} <- this function does {r0}
            help: write `q` into the effect behind `!`
        T-MULT operand: this is `bool`, and no int
            true <- `bool`
        T-ON boxed: what `on` comes to is in no region
            true <- `bool`
            help: only what lies in a region is brought back: write an int, 0 or 1
        T-ON effect: this writes to the region `q`, which is not in the effect `{r0, host}`
            q <- `q` is written here
            {r0, host} <- this function does {r0, host}
            help: write `q` into the effect behind `!`
        T-ON host: this runs something on the device, and `host` is not in the effect `{r0}`
            on 1 at r0 at r0 <- has the effect `host`
            {r0} <- this function does {r0}
            help: write `host` into the effect behind `!`
        T-ON region: this is `(int, q)`, which does not lie in `r0`
            1 at q <- `(int, q)`
            r0 <- the region of the result
            help: `on e at r` makes no copy: the value of `e` lies in `r`
        T-ON world: this runs something on the device, which only the host does
            on 1 at r0 at r0 <- here
            on <- on the device here
        T-PAIR effect: this writes to the region `r0`, which is not in the effect `{}`
            r0 <- `r0` is written here
            {} <- this function does {}
            help: write `r0` into the effect behind `!`
        T-PAR effect: this writes to the region `r0`, which is not in the effect `{}`
            r0 <- `r0` is written here
            {} <- this function does {}
            help: write `r0` into the effect behind `!`
        T-PARMAP argument: the elements of this are `(int, r0)`, and `bool` is wanted
            iota (3 at r0) at r0 <- of `(int, r0)`
            fn (x : bool) ! {} => x at r0 <- takes `bool`
        T-PARMAP argument: this is `(int, r0)`, and `bool` is wanted
            1 at r0 <- `(int, r0)`
            fn (x : bool) ! {} => x at r0 <- takes `bool`
        T-PARMAP effect: this writes to the region `q`, which is not in the effect `{r0}`
            q <- `q` is written here
            {r0} <- this function does {r0}
            help: write `q` into the effect behind `!`
        T-PARMAP function: this is `bool`, and no function
            true <- `bool`
        T-PARMAP latent: what is applied uses the region `q`, which is not in `{r0}`
            f <- `((int, r0) -> {q} (int, q), r0)`
            {r0} <- this function does {r0}
            help: write `q` into the effect behind `!`
        T-PARMAP vector: this is `bool`, and no vector
            true <- `bool`
        PLACE scope: the region `q` is not in scope
            q <- not bound
            help: `letregion` makes a region, and `r0` is always there
        PLACE world: `r0@C` stands where the regions of world G are
            r0@C <- world G
            on <- on the device here
        PLACE world: `r0@G` stands where the regions of world C are
            r0@G <- world C
            help: regions of world G are inside of `on … at r`
        REG-CONS fresh: there is a region `q` already
            q <- bound again
            q <- the first one
            help: call one of them otherwise
        PLACE world: `q@G` stands where the regions of world C are
            q@G <- world C
            help: regions of world G are inside of `on … at r`
        T-RFN bound: `host` outlives no region
            host <- not a region
            help: `>=` names the regions that outlive the one that is bound; effects stand behind `!`
        T-RFN effect: this writes to the region `r0`, which is not in the effect `{}`
            r0 <- `r0` is written here
            {} <- this function does {}
            help: write `r0` into the effect behind `!`
        T-RFN host: a function of the device has not the effect `host`
            host <- not on the device
            on <- on the device here
        T-SND effect: this reads the region `r0`, which is not in the effect `{}`
            p <- `r0` is read here
            {} <- this function does {}
            help: write `r0` into the effect behind `!`
        T-SND pair: this is `(int, r0)`, and no pair
            1 at r0 <- `(int, r0)`
        T-VAR scope: `y` is not in scope
            y <- not bound
        T-VECTOR effect: this writes to the region `r0`, which is not in the effect `{}`
            r0 <- `r0` is written here
            {} <- this function does {}
            help: write `r0` into the effect behind `!`
        T-VECTOR element: this is `bool`, and `(int, r0)` is wanted
            true <- `bool`
            1 at r0 <- `(int, r0)`
    "#]].assert_eq(&text);
}

#[test]
fn types_are_shown_as_they_are_written() {
    let types = [
        "true",
        "1 at r0",
        "fn (x : (int, r0)) ! {r0} => [(x, true) at r0] at r0 at r0",
        "rfn q >= {r0} ! {host, q} => fn (x : (int, q)) ! {} => x at q at r0",
        "rfn q >= {} ! {r0} => rfn p >= {q} ! {r0} => rfn s >= {q, p} ! {s} => 1 at s at r0 at r0 at r0",
        "(rfn q >= {} ! {q, r0} => fn (x : (int, q)) ! {q} => x at r0 at r0) [r0]",
    ];
    let shown = types.map(|source| format!("{source}\n    : {}\n", ty(source))).concat();
    expect![[r#"
        true
            : bool
        1 at r0
            : (int, r0)
        fn (x : (int, r0)) ! {r0} => [(x, true) at r0] at r0 at r0
            : ((int, r0) -> {r0} (Vec ((int, r0) * bool, r0), r0), r0)
        rfn q >= {r0} ! {host, q} => fn (x : (int, q)) ! {} => x at q at r0
            : (Pi q >= {r0} ! {q, host} . ((int, q) -> {} (int, q), q), r0)
        rfn q >= {} ! {r0} => rfn p >= {q} ! {r0} => rfn s >= {q, p} ! {s} => 1 at s at r0 at r0 at r0
            : (Pi q >= {} ! {r0} . (Pi p >= {q} ! {r0} . (Pi s >= {p, q} ! {s} . (int, s), r0), r0), r0)
        (rfn q >= {} ! {q, r0} => fn (x : (int, q)) ! {q} => x at r0 at r0) [r0]
            : ((int, r0) -> {r0} (int, r0), r0)
    "#]].assert_eq(&shown);
}

/// Types are equal up to the names of bound regions, and effects are sets (L54).
#[test]
fn names_of_bound_regions_do_not_count() {
    let of = |one: &str, other: &str| {
        checked(&format!("if true then {one} else {other}")).map_err(|no| no.rule)
    };
    let branches = Err(Some(("T-IF", "branches")));
    let q = "rfn q >= {} ! {r0, q} => fn (x : (int, q)) ! {} => x at r0 at r0";
    let p = "rfn p >= {} ! {p, r0} => fn (y : (int, p)) ! {} => y at r0 at r0";
    assert!(of(q, p).is_ok());
    let r0 = "rfn p >= {} ! {p, r0} => fn (y : (int, r0)) ! {} => y at r0 at r0";
    assert_eq!(of(q, r0), branches);
    let bounded = "rfn p >= {r0} ! {p, r0} => fn (y : (int, p)) ! {} => y at r0 at r0";
    assert_eq!(of(q, bounded), branches);
    let [qp, pq] = ["(int, q) -> {} (int, p)", "(int, p) -> {} (int, q)"].map(|f| {
        format!("fn (x : (Pi q >= {{}} ! {{}} . (Pi p >= {{}} ! {{}} . ({f}, r0), r0), r0)) ! {{}} => true at r0")
    });
    assert_eq!(of(&qp, &pq), branches);
}

/// A substitution does not catch the region that it puts in (L59).
#[test]
fn regions_are_renamed_apart() {
    let source = "rfn q >= {} ! {r0} =>
        let f = fn (g : (Pi p >= {} ! {} . (Pi q2 >= {} ! {} . ((int, p) -> {} (int, q2), r0), r0), r0)) ! {r0} =>
          g [q]
        at r0 in f at r0";
    let shown = ty(source);
    assert!(shown.contains("Pi q2 >= {} ! {} . ((int, q) -> {} (int, q2), r0)"), "{shown}");
}

/// With two names for one region the order is not known, though it holds (L58).
#[test]
fn the_order_of_regions_is_that_of_the_constraints() {
    let bound = Some(("T-INST", "bound"));
    let of = |region: &str, bound: &str| {
        checked(&format!(
            "letregion a in letregion b in letregion c in
             let f = rfn p >= {{{bound}}} ! {{}} => true at r0 in
             f [{region}]"
        ))
        .map_err(|no| no.rule)
    };
    for (region, older) in [("c", "a"), ("c", "r0"), ("b", "b"), ("c", "a, b, c, r0")] {
        assert!(of(region, older).is_ok(), "{region} {older}");
    }
    for (region, younger) in [("a", "b"), ("r0", "a"), ("b", "a, c")] {
        assert_eq!(of(region, younger), Err(bound), "{region} {younger}");
    }
}

/// A type that doubles with each `let` is refused, and takes no time.
#[test]
fn types_that_are_too_large_are_refused() {
    let mut source = "let x0 = true in ".to_owned();
    for number in 1..200 {
        let before = number - 1;
        source += &format!("let x{number} = (x{before}, x{before}) at r0 in ");
    }
    let refused = checked(&(source + "true")).expect_err("it has a large type");
    assert_eq!(refused.limit, Some(Limit::Types));
}

/// Many regions that are all ordered: whether one outlives another is found without trying all ways.
#[test]
fn many_regions_take_no_time() {
    let regions: String = (0..240).map(|number| format!("letregion q{number} in ")).collect();
    let refused =
        checked(&format!("{regions} (fn (x : (int, q3)) ! {{q2}} => x < x at r0) (1 at q3)"));
    assert_eq!(refused.map_err(|no| no.rule), Err(Some(("T-LESS", "effect"))));
    assert_eq!(
        ty(&format!("{regions} (fn (x : (int, q3)) ! {{q4}} => x < x at r0) (1 at q3)")),
        "bool"
    );
}

fn lines(node: &Derivation, depth: usize, to: &mut String) {
    if ["CTXT", "PLACE", "EFF"].contains(&node.rule) {
        return;
    }
    let failed = node.failed.map_or(String::new(), |premise| format!(" fails: {premise}"));
    *to += &format!(
        "{}{} {} => {}{failed}\n",
        "  ".repeat(depth),
        node.rule,
        node.subject,
        node.conclusion
    );
    node.premises.iter().for_each(|premise| lines(premise, depth + 1, to));
}

fn derivation(source: &str, expected: Expect) {
    let program = parse::program(source).expect("it is a program");
    let mut recorder = Recorder::tree(1000);
    let _ = types::check(&program, &mut recorder);
    let mut text = String::new();
    recorder.finish().1.iter().for_each(|root| lines(root, 0, &mut text));
    expected.assert_eq(&text);
}

#[test]
fn derivations_are_recorded() {
    derivation(
        "letregion q in (fn (x : (int, r0)) ! {q} => x * x at r0 at q) (2 at r0)",
        expect![[r#"
            T-PROGRAM letregion q in (fn (x : (int, r0)) ! {q} => x * x at r0 at q) 2 at r0 => (int, r0), {r0, host} on C
              REG-BASE r0 => 
              RC-EMPTY  => 
              VC-EMPTY  => 
              T-LETREGION letregion q in (fn (x : (int, r0)) ! {q} => x * x at r0 at q) 2 at r0 => (int, r0), {r0, host} on C
                REG-CONS q => 
                RC-CONS q >= {r0} => 
                T-APP (fn (x : (int, r0)) ! {q} => x * x at r0 at q) 2 at r0 => (int, r0), {r0, q, host} on C
                  T-FN fn (x : (int, r0)) ! {q} => x * x at r0 at q => ((int, r0) -> {q} (int, r0), q), {r0, q, host} on C
                    TY-BOXED  => (int, r0)
                      BT-INT  => 
                    VC-CONS x : (int, r0) => 
                    T-MULT x * x at r0 => (int, r0), {q} on C
                      T-VAR x => (int, r0), {q} on C
                      ER-OUTLIVES r0 => 
                        RR-BOUND q >= r0 => 
                      T-VAR x => (int, r0), {q} on C
                      ER-OUTLIVES r0 => 
                        RR-BOUND q >= r0 => 
                      ER-OUTLIVES r0 => 
                        RR-BOUND q >= r0 => 
                    ER-IN q => 
                  ER-IN q => 
                  EE {q} => 
                    ER-IN q => 
                  T-INT 2 at r0 => (int, r0), {r0, q, host} on C
                    ER-IN r0 => 
        "#]],
    );
    derivation(
        "letregion q in on 1 at q at r0",
        expect![[r#"
        T-PROGRAM letregion q in on 1 at q at r0 => 
          REG-BASE r0 => 
          RC-EMPTY  => 
          VC-EMPTY  => 
          T-LETREGION letregion q in on 1 at q at r0 => 
            REG-CONS q => 
            RC-CONS q >= {r0} => 
            T-ON on 1 at q at r0 =>  fails: region
              ER-IN r0 => 
              T-INT 1 at q => (int, q), {r0, q} on G
                ER-IN q => 
    "#]],
    );
}
