//! A short campaign, and what becomes of single programs.

use compiler::emit::style::Style;
use compiler::pass::poison_checks::Detail;
use oracle::engine::{Case, Origin};
use oracle::language::Lang;
use oracle::rolls::Rolls;
use recall::campaign::{Bucket, Campaign, Results, Settings, Watch};
use recall::known;
use recall::lacks;
use recall::program::Program;
use recall::releases::named;
use recall::shrinking::Small;
use recall::signature::{Kind, Seen};
use recall::subject::{Found, Subject};
use reference::kit::outcome::{Budget, Value};
use reference::translate::expand_memory::Form;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn program(source: &str, input: Vec<Value>) -> Program {
    program_in(Lang::Fun, source, input)
}

fn program_in(lang: Lang, source: &str, input: Vec<Value>) -> Program {
    let case = Case {
        program: lang.parse(source).expect("it is well formed"),
        input,
        schedule: 1,
        settings: reference::kit::language::Settings::default(),
        budget: Budget::default(),
        origin: Origin::File("test.fun".to_owned()),
    };
    Program::of(case, Form::Coalesced, &mut Rolls::default()).expect("it is compiled and runs")
}

fn found(version: &str, program: &Program, style: &str) -> Option<Found> {
    let style: Style = style.parse().expect("it is a style");
    let mut subject = Subject::new(named(version).expect("it is a release"));
    match subject.bare(program, style) {
        Seen::Wrong(wrong) => Some(subject.found(program, wrong, style)),
        Seen::Agrees => None,
        Seen::NotCompared(why) => panic!("{why}"),
    }
}

/// The bucket of an undefined result is its instruction, whatever the style.
#[test]
fn an_unmasked_shift_is_one_bucket() {
    let source = "param (n : int)
let (ys : [2]) = kernel i <= 2 do
  in (i << n)
in (ys)
";
    let program = program(source, vec![Value::from(33)]);
    for style in ["plain", "shadow, compound"] {
        let found = found("30", &program, style).expect("naga 30 has it");
        assert_eq!(found.signature.kind, Kind::Undefined);
        assert_eq!(found.signature.what, "OpShiftLeftLogical (width)");
        assert!(found.signature.shape.is_empty());
        let known = known::explained(named("30").expect("it is there"), &found.signature);
        assert_eq!(known.map(|known| known.name), Some("unmasked shift"));
    }
}

/// The bucket of a wrong value is the construct that shows it, without those beside it.
#[test]
fn a_wrong_value_is_told_by_the_construct_that_shows_it() {
    let source = "param (n : int)
let (ys : [4]) = kernel i <= 4 do
  let (s : int) = loop (s : int = 0) for k <= n do
    let (t : int) = k * i + n
    in (s + t * t)
  in (s)
in (ys)
";
    let program = program(source, vec![Value::from(3)]);
    let all = found("29", &program, "while, uninitialised, compound").expect("29 has it");
    assert_eq!(
        (all.signature.kind, all.signature.shape.as_slice()),
        (Kind::WrongValue, &["uninitialised"][..])
    );
    assert!(found("30", &program, "while, uninitialised, compound").is_none());
    let (old, new) = (named("29").expect("it is there"), named("30").expect("it is there"));
    assert_eq!(known::explained(old, &all.signature).map(|known| known.row), Some(Some(1)));
    assert!(known::explained(new, &all.signature).is_none(), "it is mended there");
    assert!(known::resembled(&all.signature).is_some());
}

/// Every other site of a construct is another one where a construct beside is missing; a fault that
/// a construct shows alone is told by that all the same.
#[test]
fn a_fault_is_told_by_one_construct_where_that_shows_it_alone() {
    let source = "param (xs : [1])
let (ys : [1]) = kernel i <= 1 do
  in (xs[i] + 1)
in (ys)
";
    let input = Value::ints(vec![1], vec![7]);
    let program = program(source, vec![input]);
    let found = found("22", &program, "once:odd, switch:odd, effect").expect("22 has it");
    assert_eq!(found.signature.kind, Kind::InvalidSpirv);
    assert_eq!(found.signature.shape, ["once"]);
    let known = known::explained(named("22").expect("it is there"), &found.signature);
    assert_eq!(known.map(|known| known.name), Some("wgpu#6220"));
}

/// With the `switch` every other function stands elsewhere, and one of two others shows nothing; the two
/// at all their sites show that the condition of `break if` is evaluated before the loop.
#[test]
fn a_fault_is_told_by_constructs_at_all_sites_where_a_third_only_moves_them() {
    let source = "param (n : int) (xs : [1])
let (ys : [n]) = kernel i <= n do
  let (v : int) = 1 % n
  let (w : int) = i & 1
  let (zs : [1]) = if w
    then
      let (s : [1]) = xs[v : 1]
      in (s)
    else
      let (t : [n]) = kernel j <= n do
        in (1)
      in (xs)
  in (1)
in (1)
";
    let input = vec![Value::from(2), Value::ints(vec![1], vec![1])];
    // The fast form is executed, in which no check is left.
    let mut program = program(source, input);
    program.first = Detail::Flag;
    let found = found("0.14", &program, "break-if, switch, function:odd").expect("0.14 has it");
    assert_eq!(found.signature.kind, Kind::WrongValue);
    assert_eq!(found.signature.shape, ["break-if", "function"]);
    let known = known::explained(named("0.14").expect("it is there"), &found.signature);
    assert_eq!(known.map(|known| known.name), Some("early `break if`"));
}

/// In naga 27 a check that does not fail calls what says that it did, for that stands behind `&&`.
/// Where the store of `1 % v` is such a call as well, a `%` of a negative operand is seen first, so a
/// `switch` has to stand for the branch of that store; the fault is that of `effect` all the same.
#[test]
fn a_call_that_an_undefined_operand_hides_is_told_beside_a_switch() {
    let source = "param (m : int) (n : int) (xs : [n][m])
let (ys : [n]) = kernel i <= n do
  let (v : int) = xs[1, 1]
  let (r : int) = 1 % v
  in (r)
in (1)
";
    let of = |divisor| {
        let xs = Value::ints(vec![1, 1], vec![divisor]);
        program(source, vec![Value::from(1), Value::from(1), xs])
    };
    let (negative, positive) = (of(-1), of(2));
    let seen = |version, program, style| {
        let found: Option<Found> = found(version, program, style);
        found.map(|found| {
            let known = known::explained(named(version).expect("it is there"), &found.signature);
            (found.signature.kind, found.signature.shape, known.map(|known| known.name))
        })
    };
    let called =
        |shape: &[&'static str]| Some((Kind::WrongValue, shape.to_vec(), Some("wgpu#4394")));
    let remainder = Some((Kind::Undefined, Vec::new(), Some("wgpu#8191")));
    assert_eq!(seen("27", &negative, "switch:odd, effect"), called(&["switch", "effect"]));
    let hidden = found("27", &negative, "switch:odd, effect").expect("it was just seen");
    assert!(hidden.signature.behind_others, "without either the remainder is seen");
    assert_eq!(seen("27", &negative, "effect:even"), called(&["effect"]));
    assert_eq!(seen("27", &negative, "effect"), remainder);
    assert_eq!(seen("27", &positive, "switch:odd, effect"), called(&["effect"]));
    // In 28 it is called no more, and the program comes to its `%`; in 30 that is right too.
    assert_eq!(seen("28", &negative, "switch:odd, effect"), remainder);
    assert_eq!(seen("28", &positive, "switch:odd, effect"), None);
    assert_eq!(seen("30", &negative, "switch:odd, effect"), None);
}

/// In the first, `remainder` keeps a read of what was never written out of a call, which naga 0.10
/// evaluates always; in the second, `for` writes a loop that naga 0.14, its `break if` early, would not
/// leave. Without them something else is seen, and the fault is that of the other construct.
#[test]
fn a_construct_that_keeps_something_else_from_being_seen_makes_no_fault() {
    let remainder = "kernel k0(b : block[i32]) group 1 {
  workgroup w : i32;
  let v : i32 = block(i32, u32 0, u32 0).[u32 1 % length(b)];
  b.[u32 0] = w + (-1);
}
param xs : [1];
launch k0(xs) for 1;
";
    let rounds = "kernel k0() group 1 {
  loop (x : u32 = u32 1) while x != u32 0 {
  } next (u32 0);
  block(u32, u32 0, u32 0).[u32 1] = u32 1;
}
launch k0() for 1;
";
    let xs = Value::ints(vec![1], vec![1]);
    for (version, source, input, style, shape, name) in [
        ("0.10", remainder, vec![xs], "effect, remainder", "effect", "wgpu#4394"),
        ("0.14", rounds, vec![], "for, break-if", "break-if", "early `break if`"),
    ] {
        let program = program_in(Lang::Device, source, input);
        let found = found(version, &program, style).expect("this release has it");
        assert_eq!(found.style.to_string(), style, "nothing plainer shows it");
        assert_eq!(found.signature.shape, [shape]);
        assert!(!found.signature.behind_others);
        let known = known::explained(named(version).expect("it is there"), &found.signature);
        assert_eq!(known.map(|known| known.name), Some(name));
    }
}

/// A wrong value that plain text shows is told by the workaround that avoids it.
#[test]
fn plain_text_is_told_by_the_workaround() {
    let source = "kernel k0(b1 : block[i32]) group 1 {
  b1.[global_id] = i32(i64(u32 4294967295 - global_id) >> i64 32);
}
let m3 = alloc i32(1);
launch k0(m3) for 1;
result m3 : [1] at 0 strides (1);
";
    let program = program_in(Lang::Device, source, Vec::new());
    let (old, new) = (named("0.19").expect("it is there"), named("30").expect("it is there"));
    assert_eq!(lacks::of(old, &program).map(|lack| lack.what), Some("integers of 64 bits"));
    assert!(lacks::of(new, &program).is_none());
    let found = found("30", &program, "plain").expect("30 has it");
    assert_eq!(found.signature.kind, Kind::WrongValue);
    assert_eq!(found.signature.by, Some("zero-extension"));
    let known = known::explained(new, &found.signature).map(|known| known.name);
    assert_eq!(known, Some("u32 extended by its sign"));
}

/// So is a panic, whose words may mean anything.
#[test]
fn a_panic_is_told_by_the_workaround() {
    oracle::panics::install();
    let source = "fn f0(a1 : ptr[function, i32]) {
  *a1 = *a1 + 1;
}
kernel k0(b2 : block[i32]) group 1 {
  var x3 : array[i32, 2] = make array[i32, 2](1, 2);
  call f0(&x3[u32 1]);
  b2.[global_id] = x3[u32 1];
}
let m4 = alloc i32(1);
launch k0(m4) for 1;
result m4 : [1] at 0 strides (1);
";
    let program = program_in(Lang::Device, source, Vec::new());
    for version in ["0.9", "30"] {
        let found = found(version, &program, "plain").expect("all have it");
        assert_eq!(found.signature.kind, Kind::Panic);
        assert_eq!(found.signature.by, Some("whole-pointers"));
        let known = known::explained(named(version).expect("it is there"), &found.signature);
        assert_eq!(known.map(|known| known.name), Some("wgpu#4540"));
    }
}

#[derive(Default)]
struct Looker(Mutex<Vec<(String, Bucket, Small)>>);

impl Watch for Looker {
    fn found(&self, version: &str, bucket: &Bucket, small: &Small) {
        let mut found = self.0.lock().expect("nobody panics");
        found.push((version.to_owned(), bucket.clone(), small.clone()));
    }
    fn progress(&self, _: &Results) {}
}

/// Faults are counted in buckets, first and shrunk programs are kept, all is explained, and a
/// second campaign finds the same.
#[test]
fn a_campaign_fills_buckets() {
    oracle::panics::install();
    let run = || {
        let releases = ["0.14", "30"].map(|version| named(version).expect("it is a release"));
        let campaign = Campaign::new(Settings {
            releases: releases.to_vec(),
            time: Duration::from_secs(3600),
            programs: Some(250),
            seed: 1,
            first: 0,
            shrink: Duration::from_secs(5),
        });
        let looker = Looker::default();
        campaign.run(&AtomicBool::new(false), &looker);
        (campaign.results(), looker.0.into_inner().expect("nobody panics"))
    };
    let (results, looked) = run();
    let second = run().0;
    // What is wrong is said again.
    drop(std::panic::take_hook());
    assert_eq!(results.programs, 250);
    let [old, new] = &results.releases[..] else { panic!("two releases") };
    assert!(old.faults.len() > new.faults.len(), "{results:#?}");
    assert_eq!(looked.len(), old.faults.len() + new.faults.len());
    for release in [old, new] {
        assert!(release.seconds > 0.0 && release.programs > 200);
        for bucket in &release.faults {
            assert!(bucket.known.is_some(), "{bucket:#?}");
            assert!(bucket.programs >= 1 && bucket.after >= 1 && bucket.after <= release.programs);
            let (_, small) = &results.small[bucket.small.expect("it is shrunk")];
            assert!(small.wgsl.contains("fn main("), "{}", small.wgsl);
        }
    }
    assert!(results.is_explained());
    let buckets = |results: &Results| -> Vec<(String, u64, u64)> {
        let faults = results.releases.iter().flat_map(|release| &release.faults);
        faults.map(|b| (b.signature.to_string(), b.programs, b.after)).collect()
    };
    assert_eq!(buckets(&second), buckets(&results));
}
