//! Inference of what programs leave out.

use crate::kit::derivation::Recorder;
use crate::kit::faults::Planted;
use crate::kit::header::Header;
use crate::kit::language::{How, Language, Settings};
use crate::kit::memory::Memory;
use crate::kit::outcome::{Budget, Ending, Value};
use crate::kit::same::same;
use crate::kit::text::{Limit, Rejected};
use crate::lambda_g::infer::erase::erase;
use crate::lambda_g::laws::may_find_no_region;
use crate::lambda_g::syntax::Program;
use crate::lambda_g::tests::programs;
use crate::lambda_g::{LambdaG, parse, print};
use expect_test::{Expect, expect};

fn check(source: &str, expected: Expect) {
    let program = parse::program(source).unwrap_or_else(|no| panic!("{source}: {no:?}"));
    assert!(program.inferred);
    expected.assert_eq(&print::program(&program));
}

#[test]
fn regions_are_found() {
    check(
        "param n : int; let fact = fix f . fn n => if n < 1 then 1 else n * f (n - 1) in fact n",
        expect![[r#"
            param n : (int, r0);
            letregion r1 in
            let fact = fix f : ((int, r0) -> {r0, r1, host} (int, r0), r1) .
              fn (n_1 : (int, r0)) ! {r0, r1, host} =>
                if letregion r2 in
                n_1 < 1 at r2
                  then 1 at r0
                  else n_1 * f (letregion r3 in
                  n_1 - 1 at r3 at r0) at r0 at r1 in
            fact n
        "#]],
    );
    check(
        "param n : int; let add = fn x => x + n in let one = on add 1 in
         let five = on fn x => x + 5 in (one, five n)",
        expect![[r#"
            param n : (int, r0);
            letregion r1 of 4096 in
            let add = fn (x : (int, r1)) ! {r0, r1} =>
              x + n at r0 at r1 in
            let one = on
              add 1 at r1 at r0 in
            letregion r2 of 4096 in
            let five = on
              fn (x_1 : (int, r0)) ! {r0, r2} =>
                x_1 + 5 at r2 at r0 at r2 at r2 in
            (one, five n) at r0
        "#]],
    );
    check(
        "param rows : Vec int; on parmap (fn n => iota n) rows",
        expect![[r#"
        param rows : (Vec (int, r0), r0);
        letregion r1 of 4096 in
        on
          parmap (fn (n : (int, r0)) ! {r0} =>
            iota n at r0 at r1) rows at r0 at r0
    "#]],
    );
    check(
        "param n : int; if 6 == (on (n + 1) * (n + 2)) then 1 else 2",
        expect![[r#"
        param n : (int, r0);
        if letregion r1 of 4096 in
        6 at r1 == (letregion r2 of 4096 in
        on
          n + 1 at r2 at r2 * (n + 2 at r2 at r2) at r1 at r1)
          then 1 at r0
          else 2 at r0
    "#]],
    );
    check(
        "param n : int; let v = on parmap (fn x => let w = iota x in length w * 2) (iota n) in
         if v ! 0 < 1 then 1 else 2",
        expect![[r#"
            param n : (int, r0);
            letregion r1 of 4096 in
            let v = letregion r2 of 4096 in
            on
              parmap (fn (x : (int, r2)) ! {r1, r2} =>
                let w = iota x at r2 in
                length w at r2 * 2 at r2 at r1 at r2) (iota n at r2) at r1 at r1 in
            if letregion r3 in
            (letregion r4 in
            v ! 0 at r4) < 1 at r3
              then 1 at r0
              else 2 at r0
        "#]],
    );
    check(
        "(fn x => x, fix f . fn x => f x)",
        expect![[r#"
            (fn (x : bool) ! {} =>
              x at r0, fix f : (bool -> {r0} bool, r0) .
              fn (x_1 : bool) ! {r0} =>
                f x_1 at r0) at r0
        "#]],
    );
    check(
        "(rfn p >= {r0} ! {p} => fn (x : (int, p)) => x + x at p) [r0] 1",
        expect![[r#"
        (letregion r1 in
        (rfn p >= {r0} ! {p} =>
          fn (x : (int, p)) ! {p} =>
            x + x at p at p at r1) [r0]) 1 at r0
    "#]],
    );
}

/// What comes of a program on an input.
fn end(program: &Program, input: &[Value]) -> Ending {
    let how = How {
        variant: "",
        schedule: 7,
        budget: &Budget { fuel: 200_000, memory: 1 << 24 },
        settings: &Settings::default(),
        planted: Planted::NONE,
        memory: &mut Memory::default(),
    };
    let input = LambdaG::fit(program, input.to_vec()).expect("the input fits");
    LambdaG::run(program, &input, how, &mut Recorder::counting()).ending
}

/// Do both end with the same values, or stuck for the same cause?
fn as_before(whole: &Ending, found: &Ending) -> bool {
    match (whole, found) {
        (Ending::Value(one), Ending::Value(other)) => one == other,
        (Ending::Stuck(one), Ending::Stuck(other)) => one.site.cause == other.site.cause,
        _ => false,
    }
}

/// The programs of the corpus that have a type, by the names of their files.
fn typed() -> impl Iterator<Item = (String, Header, Program)> {
    ["pass", "stuck"].into_iter().flat_map(programs).map(|(name, header, source)| {
        let program = parse::program(&source).unwrap_or_else(|no| panic!("{name}: {no:?}"));
        let name = name.rsplit('/').next().expect("it has a name").to_owned();
        (name, header, program)
    })
}

/// Programs that say that a region is too small. Regions that are found are larger.
const OF_A_SIZE: [&str; 4] = [
    "full_behind_a_push.lg",
    "region_full.lg",
    "region_full_in_a_thread.lg",
    "region_full_of_closures.lg",
];

/// Is the program refused since an effect covers regions that are not in it, as they outlive one that is, and that only the
/// body has? If it is left out that something is in one of these, none that is in the effect fits.
fn is_covered(program: &Program, no: &Rejected) -> bool {
    no.rule == Some(("PLACE", "scope")) && may_find_no_region(program)
}

/// Programs that are refused so with nothing written.
const COVERED: [&str; 2] = ["outlives_an_instance.lg", "outlives_instances_of_instances.lg"];

/// All others are found, and do what they did.
#[test]
fn programs_of_the_corpus_do_the_same_without_annotations() {
    let (mut other, mut covered) = (Vec::new(), Vec::new());
    let mut compared = 0;
    for (name, header, program) in typed() {
        let text = print::program(&erase(&program, &mut || false));
        let found = match parse::program(&text) {
            Ok(found) => found,
            Err(no) if is_covered(&program, &no) => {
                covered.push(name);
                continue;
            }
            Err(no) => panic!("{name}: {text}: {no:?}"),
        };
        compared += 1;
        for case in &header.cases {
            let (before, now) = (end(&program, &case.input), end(&found, &case.input));
            if !as_before(&before, &now) {
                other.push(format!("{name}: {before:?}, {now:?}"));
            }
        }
    }
    let of_a_size = |said: &String| OF_A_SIZE.iter().any(|name| said.starts_with(name));
    assert!(other.iter().all(of_a_size), "{}", other.join("\n"));
    assert_eq!(other.len(), OF_A_SIZE.len(), "{other:?}");
    assert!(compared >= 50, "{compared}");
    covered.sort_unstable();
    assert_eq!(covered, COVERED);
}

/// With nothing left out a program is as it is.
#[test]
fn whole_programs_are_left_as_they_are() {
    for (name, _, program) in typed().filter(|(.., program)| !program.inferred) {
        let kept = erase(&program, &mut || true);
        assert_eq!(kept, program, "{name}");
        let again = parse::program(&print::program(&kept)).expect("it is read");
        assert!(!again.inferred && same(&again, &program), "{name}");
    }
}

/// With some things left out it is found what they are.
#[test]
fn programs_of_the_corpus_do_the_same_with_some_annotations() {
    let other = [&OF_A_SIZE[..], &COVERED].concat();
    let mut dice = 1_u64;
    let mut wrong = Vec::new();
    for (name, header, program) in typed().filter(|(name, ..)| !other.contains(&&**name)) {
        for of_four in (0..40).map(|round| round % 4) {
            let mut keeps = || {
                dice = dice
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (dice >> 33) % 4 > of_four
            };
            let text = print::program(&erase(&program, &mut keeps));
            let found = match parse::program(&text) {
                Ok(found) => found,
                Err(no) if is_covered(&program, &no) => continue,
                Err(no) => {
                    wrong.push(format!("{name}: {no:?}\n{text}"));
                    continue;
                }
            };
            for case in &header.cases {
                let (before, now) = (end(&program, &case.input), end(&found, &case.input));
                if !as_before(&before, &now) {
                    let whole = print::program(&found);
                    wrong.push(format!("{name}: {before:?}, {now:?}\n{text}\n{whole}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is said where something cannot be left out.
fn refused(source: &str) -> (String, Option<Limit>) {
    let refused = parse::program(source).expect_err(source);
    let at = &source[refused.span.start as usize..refused.span.end as usize];
    (format!("{}: {at}, {}", refused.message, refused.help.unwrap_or_default()), refused.limit)
}

#[test]
fn what_cannot_be_found_is_told() {
    let said = [
        "fn x => x x",
        "let f = fn g => g 1 in f f",
        "param n : int -> int; n",
        "fn g => g [r0] 1",
    ]
    .map(|source| format!("{source}\n  {}\n", refused(source).0));
    expect![[r#"
        fn x => x x
          the type of this would be within itself: fn x => x x, write the types of the functions here, as in `fn (x : int -> int) => …`
        let f = fn g => g 1 in f f
          this is `(((int, r1) -> {r1} bool, r1) -> {r1} bool, r1)`, and `((int, r1) -> {r1} bool, r1)` is wanted: f, `r1` is a region that is left out
        param n : int -> int; n
          the parameter `n` of the program is `((int, r0) -> {} (int, r0), r0)`: int -> int, input is made of ints, bools, pairs and vectors
        fn g => g [r0] 1
          this is `bool`, and no region abstraction: g, 
    "#]].assert_eq(&said.concat());
}

/// Programs that are large when they are whole are read in time, or are too large.
#[test]
fn large_programs_are_found_or_refused() {
    let pairs: String = (0..60).map(|k| format!("let p{} = (p{k}, p{k}) in ", k + 1)).collect();
    let twice = format!("let p0 = 1 in {pairs}(fn x => 1) p60");
    assert_eq!(refused(&twice).1, Some(Limit::Types));
    let vectors: String = (0..120)
        .map(|k| format!("let p{} = {}p{k}{} in ", k + 1, "[".repeat(100), "]".repeat(100)))
        .collect();
    assert_eq!(refused(&format!("let p0 = 1 in {vectors}(fn x => 1) p120")).1, Some(Limit::Types));
    let nested = format!("{}1{}", "if 1 < 2 then ".repeat(200), " else 1".repeat(200));
    assert!(parse::program(&nested).is_ok());
    // A round takes two of the 256 expressions that may be in one another: it stands in a `letregion`.
    let rounds = |count| format!("{}1 < 2{}", "(fn x => x) (".repeat(count), ")".repeat(count));
    assert!(parse::program(&rounds(120)).is_ok());
    assert_eq!(refused(&rounds(130)).1, Some(Limit::Nesting));
    let wide: Vec<String> = (0..20_000).map(|k| format!("if {k} < {k} then {k} else 1")).collect();
    let program = parse::program(&format!("[{}]", wide.join(", "))).expect("it is read");
    assert_eq!(print::program(&program).matches("letregion").count(), 20_000);
}
