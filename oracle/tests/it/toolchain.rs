//! The toolchain below the compiler, tested without a driver: what naga writes is executed and
//! judged.

use compiler::emit::spirv::{Rejection, for_vulkan};
use compiler::emit::workarounds::Workarounds;
use oracle::campaign::draw;
use oracle::check::{Depth, Examination, Kind, Tester};
use oracle::engine::{Case, EngineId, Origin};
use oracle::engines::SpirvEngine;
use oracle::engines::spirv::{Evidence, NoWords, Options, Translator};
use oracle::generate::Weights;
use oracle::language::Lang;
use oracle::stages::{Plan, Stages};
use reference::kit::derivation::Recorder;
use reference::kit::language::Settings;
use reference::kit::outcome::{Budget, Ending, Value};
use reference::spirv::excused::EXCUSED;
use reference::spirv::parse::load;
use reference::spirv::values::LoadError;
use std::sync::Arc;

/// A shift by an amount that only a run knows.
const SHIFT: &str = "param (n : int)
let (ys : [2]) = kernel i <= 2 do
  in (i << n)
in (ys)
";

fn tester(workarounds: Workarounds) -> Tester {
    Tester::new(Vec::new(), Plan { workarounds, ..Plan::default() })
}

fn examine(tester: &mut Tester, source: &str, input: Vec<Value>) -> Examination {
    let case = Case {
        program: Lang::Fun.parse(source).expect("it is well formed"),
        input,
        schedule: 0,
        settings: Settings::default(),
        budget: Budget::default(),
        origin: Origin::File("shift.fun".to_owned()),
    };
    tester.examine(&case, Depth::Whole)
}

/// naga does not mask the amount, so that a shift by the width or more is undefined.
#[test]
fn an_unmasked_shift_is_undefined_and_nagas() {
    let mut plain = tester(Workarounds::None);
    let seen = examine(&mut plain, SHIFT, vec![Value::from(33)]);
    let finding = seen.finding().expect("the value reaches a store");
    assert_eq!((finding.stage.0, finding.kind), ("naga", Kind::Undefined), "{}", finding.text);
    assert_eq!(finding.engine, EngineId::Spirv);
    for said in ["the value is undefined", "OpStore", "OpShiftLeftLogical", "of its WGSL is `"] {
        assert!(finding.text.contains(said), "{said}: {}", finding.text);
    }
    let signature = finding.signature();
    assert_eq!(signature.to_string(), "undefined in naga (OpShiftLeftLogical width)");
    let shift = finding.text.split('`').any(|quoted| quoted.contains("<<"));
    assert!(shift, "the line of the shift is quoted: {}", finding.text);
    // By less than the width it is defined.
    assert_eq!(examine(&mut plain, SHIFT, vec![Value::from(31)]).finding(), None);
    // What is emitted masks it.
    let seen = examine(&mut tester(Workarounds::All), SHIFT, vec![Value::from(33)]);
    assert_eq!(seen.finding(), None);
    let side = seen.side(&EngineId::Spirv).expect("it was asked");
    let data = vec![2, 4];
    assert_eq!(side.outcome.ending, Ending::Value(vec![Value::ints(vec![2], data)]));
}

/// naga lays work-group variables out, which Vulkan forbids: this is excused as long as its modules do so, and
/// nothing else is.
#[test]
fn what_is_excused_is_what_naga_writes() {
    let shader = |variable: &str, access: &str| {
        format!(
            "struct S {{ a: u32, b: array<u32, 2> }}
            @group(0) @binding(0) var<storage, read_write> data: array<u32>;
            {variable}
            @compute @workgroup_size(2)
            fn main(@builtin(local_invocation_index) me: u32) {{ {access} = me; data[me] = {access}; }}"
        )
    };
    for (variable, access, excused) in [
        ("var<workgroup> w: array<u32, 2>;", "w[me]", true),
        ("var<workgroup> w: S;", "w.b[me]", true),
        ("var<workgroup> w: array<S, 2>;", "w[me].a", true),
        ("", "data[me]", false),
        ("var<private> w: array<u32, 2>;", "w[me]", false),
    ] {
        let words = for_vulkan(&shader(variable, access)).expect("naga takes it");
        let mut recorder = Recorder::counting();
        load(&words, "main", &mut recorder).expect("it is no more than excused");
        // By the number of nobody in particular.
        let by_hand: Vec<u32> =
            words.iter().enumerate().map(|(at, word)| if at == 2 { 0 } else { *word }).collect();
        match load(&by_hand, "main", &mut recorder) {
            Err(LoadError::Invalid(finding)) => {
                assert!(excused, "{variable}: {finding}");
                let known: Vec<_> = EXCUSED.iter().map(|it| (it.rule, it.premise)).collect();
                assert_eq!(known, [(finding.rule, finding.premise)], "{variable}: {finding}");
            }
            other => assert!(!excused && other.is_ok(), "{variable}: {:?}", other.err()),
        }
    }
}

/// What naga writes wrongly for two operations are two findings, each shrunk and kept.
#[test]
fn two_operations_that_are_undefined_are_two_findings() {
    let right = SHIFT.replace("<<", ">>");
    let signatures = [SHIFT, &right].map(|source| {
        let seen = examine(&mut tester(Workarounds::None), source, vec![Value::from(33)]);
        seen.finding().expect("the value reaches a store").signature()
    });
    let [left, right] = &signatures;
    assert_eq!((&left.stage, left.kind), (&right.stage, right.kind));
    assert_ne!(left, right);
}

/// A campaign finds it soon: within the first of the programs that one draws in a minute.
#[test]
fn drawn_programs_find_the_unmasked_shift() {
    let mut plain = tester(Workarounds::None);
    let found = (0..1500).find_map(|number| {
        let drawn = draw(1, number, &Weights::default());
        let seen = plain.examine(&drawn.case, Depth::Quick);
        seen.finding().filter(|finding| finding.kind == Kind::Undefined).cloned()
    });
    let finding = found.expect("it is found");
    assert_eq!(finding.stage.0, "naga", "{}", finding.text);
    assert!(finding.text.contains("OpShift"), "{}", finding.text);
}

/// A compiler of WGSL that is wrong in a way of its own.
struct Wrong(fn(&str) -> Result<Vec<u32>, Rejection>);

impl Translator for Wrong {
    fn name(&self) -> &'static str {
        "wrong"
    }

    fn words(&self, wgsl: &str, _: bool) -> Result<Vec<u32>, NoWords> {
        Ok((self.0)(wgsl)?)
    }
}

/// Any compiler of WGSL can stand where naga does, and what is wrong with it is found.
#[test]
fn another_compiler_of_wgsl_is_judged_as_naga_is() {
    let judged = |wrong: fn(&str) -> Result<Vec<u32>, Rejection>| {
        let engine = || SpirvEngine::by(Arc::new(Wrong(wrong)), Options::default());
        let mut tester = tester(Workarounds::All);
        tester.spirv = engine();
        let seen = examine(&mut tester, SHIFT, vec![Value::from(1)]);
        let program = Lang::Fun.parse(SHIFT).expect("it is well formed");
        let shaders = Stages::of(&program, Plan::default()).shaders.expect("it is compiled");
        let evidence = engine().makes(&shaders).err().map(|(fault, _)| fault.evidence);
        (seen.finding().map(|finding| (finding.kind, finding.text.clone())), evidence)
    };
    assert_eq!(judged(for_vulkan), (None, None));
    let (found, _) = judged(|wgsl| for_vulkan(&wgsl.replace("<<", ">>")));
    assert_eq!(found.expect("it is wrong").0, Kind::Value);
    let (found, evidence) = judged(|_| Err(Rejection("no".to_owned())));
    let (kind, text) = found.expect("it is refused");
    assert_eq!(kind, Kind::Rejected);
    assert!(text.contains("wrong refuses a shader: no"), "{text}");
    assert_eq!(evidence, Some(Evidence::Refused("no".to_owned())));
    let (found, evidence) = judged(|_| panic!("oh"));
    assert_eq!(found.expect("it panics").0, Kind::Panic);
    assert!(matches!(evidence, Some(Evidence::Panicked(said)) if said.contains("oh")));
}

/// A fast form that tells of a failed check where none fails is wrong, and so is a full form that tells of none
/// where one does.
#[test]
fn forms_that_contradict_each_other_are_a_finding() {
    const FLAG: &str = "atomicStore(&records[0], 1u);";
    let found = |wrong: fn(&str) -> Result<Vec<u32>, Rejection>, index: i32| {
        let mut tester = tester(Workarounds::All);
        tester.spirv = SpirvEngine::by(Arc::new(Wrong(wrong)), Options::default());
        let source = "param (n : int) (xs : [n])
            let (ys : [n]) = kernel i <= n do
              let (x : int) = xs[i]
              let (y : int) = xs[x]
              in (y)
            in (ys)";
        let input = vec![Value::from(2), Value::ints(vec![2], vec![1, index])];
        let seen = examine(&mut tester, source, input);
        seen.finding().map(|finding| (finding.stage.0, finding.kind, finding.text.clone()))
    };
    for index in [2, 3] {
        assert_eq!(found(for_vulkan, index), None);
    }
    let flags = |wgsl: &str| match wgsl.find("fn main(").filter(|_| wgsl.contains(FLAG)) {
        Some(main) => {
            let (before, main) = wgsl.split_at(main);
            for_vulkan(&format!("{before}{}", main.replacen("{\n", &format!("{{\n{FLAG}\n"), 1)))
        }
        None => for_vulkan(wgsl),
    };
    // No maximum with the zero of an empty record is more.
    let keeps_none =
        |wgsl: &str| for_vulkan(&wgsl.replace("atomicMax(&records", "atomicMin(&records"));
    for (wrong, index) in [(flags as fn(&str) -> _, 2), (keeps_none, 3)] {
        let (stage, kind, text) = found(wrong, index).expect("one of the forms is wrong");
        assert_eq!((stage, kind), ("emit", Kind::Stuck), "{text}");
        assert!(text.contains("the full form does not"), "{text}");
    }
}
