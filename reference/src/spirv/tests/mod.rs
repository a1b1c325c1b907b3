//! The room rule by rule: small modules, each with what is found in it, or what it computes.

mod arithmetic;
mod floats;
mod functions;
mod invocations;
mod matrices;
mod memory;
mod structure;
mod subgroups;
mod validate;
mod variables;
mod widths;

use super::eval::Executor;
use super::parse::words::Source;
use super::parse::{Floats, specialized};
use super::rules::Rule;
use super::values::{Buffer, Cell, Finding, Launch, LoadError, PUSH_CONSTANTS, Report, Strictness};
use crate::kit::derivation::Recorder;
use crate::kit::faults::Planted;
use crate::kit::schedule::Order;

/// What a sample does.
enum Want {
    /// These are the words of the buffer at the end, the first ones.
    Words(&'static [u32]),
    /// This premise fails.
    Fails(Rule, &'static str),
    /// It is refused, with these words in the reason.
    Refused(&'static str),
}
use Want::{Fails, Refused, Words};

/// A module: two work groups of two invocations over a buffer of four words `10, 11, 12, 13`
/// (`%data`). `%me` is the number of the invocation, `%mine` points to its word, `%x` is the word.
struct Sample {
    name: &'static str,
    /// Types, constants and variables beside those of [`PRELUDE`].
    globals: &'static str,
    /// Variables of the function.
    variables: &'static str,
    body: &'static str,
    /// Functions behind it.
    functions: &'static str,
    want: Want,
}

/// A sample that is only a body.
fn body(name: &'static str, body: &'static str, want: Want) -> Sample {
    Sample { name, globals: "", variables: "", body, functions: "", want }
}

const PRELUDE: &str = r#"
OpCapability Shader
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %global_id %local_index
OpExecutionMode %main LocalSize 2 1 1
OpName %main "main"
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
OpDecorate %global_id BuiltIn GlobalInvocationId
OpDecorate %local_index BuiltIn LocalInvocationIndex
%void = OpTypeVoid
%bool = OpTypeBool
%u = OpTypeInt 32 0
%i = OpTypeInt 32 1
%f = OpTypeFloat 32
%v2 = OpTypeVector %u 2
%v3 = OpTypeVector %u 3
%b2 = OpTypeVector %bool 2
%words = OpTypeRuntimeArray %u
%block = OpTypeStruct %words
%p_block = OpTypePointer StorageBuffer %block
%pu = OpTypePointer StorageBuffer %u
%fu = OpTypePointer Function %u
%wu = OpTypePointer Workgroup %u
%in3 = OpTypePointer Input %v3
%in = OpTypePointer Input %u
%data = OpVariable %p_block StorageBuffer
%global_id = OpVariable %in3 Input
%local_index = OpVariable %in Input
%true = OpConstantTrue %bool
%false = OpConstantFalse %bool
%0 = OpConstant %u 0
%1 = OpConstant %u 1
%2 = OpConstant %u 2
%3 = OpConstant %u 3
%4 = OpConstant %u 4
%7 = OpConstant %u 7
%31 = OpConstant %u 31
%32 = OpConstant %u 32
%264 = OpConstant %u 264
%72 = OpConstant %u 72
%i0 = OpConstant %i 0
%i1 = OpConstant %i 1
%i7 = OpConstant %i 7
%minus = OpConstant %i -1
%least = OpConstant %i -2147483648
%four = OpTypeArray %u %4
%f_four = OpTypePointer Function %four
%pair = OpTypeStruct %u %v2
%undefined = OpUndef %u
%fn = OpTypeFunction %void
"#;

fn assemble(text: &str) -> Vec<u32> {
    super::assemble::assemble(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

impl Sample {
    fn text(&self) -> String {
        format!(
            "{PRELUDE}{}\n%main = OpFunction %void None %fn\n%entry = OpLabel\n{}
            %global = OpLoad %v3 %global_id
            %me = OpCompositeExtract %u %global 0
            %local = OpLoad %u %local_index
            %mine = OpAccessChain %pu %data %0 %me
            %x = OpLoad %u %mine
            {}\nOpReturn\nOpFunctionEnd\n{}",
            self.globals, self.variables, self.body, self.functions
        )
    }

    fn run(
        &self,
        order: Order,
        recorder: &mut Recorder<Rule>,
    ) -> (Vec<u32>, Result<Report, LoadError>) {
        run(&assemble(&self.text()), order, recorder)
    }

    /// The sample does what it is meant to, in any order.
    fn check(&self, recorder: &mut Recorder<Rule>) {
        for order in [Order::InOrder, Order::Reversed, Order::Shuffled(7), Order::Interleaved(7)] {
            let (words, report) = self.run(order, recorder);
            let name = self.name;
            match (&self.want, report) {
                (Words(want), Ok(report)) => {
                    assert_eq!(report.findings, [], "{name}: nothing is wrong");
                    assert_eq!(&words[..want.len()], *want, "{name}");
                }
                (Fails(rule, premise), report) => {
                    let finding = match report {
                        Err(LoadError::Invalid(finding)) => *finding,
                        Ok(Report { findings, .. }) if !findings.is_empty() => findings[0].clone(),
                        other => panic!("{name}: {other:?}"),
                    };
                    let found = (finding.rule, finding.premise);
                    assert_eq!(found, (*rule, *premise), "{name}: {finding}");
                }
                (Refused(why), Err(LoadError::Unsupported(text))) => {
                    assert!(text.contains(why), "{name}: {text}");
                }
                (_, other) => panic!("{name}: {other:?}"),
            }
        }
    }
}

const LAUNCH: Launch = Launch {
    groups: [2, 1, 1],
    fuel: 10_000,
    subgroup: 2,
    traced: false,
    strictness: Strictness::Accesses,
    planted: Planted::NONE,
};

/// Two groups over the words `10, 11, 12, 13`.
fn run(
    words: &[u32],
    order: Order,
    recorder: &mut Recorder<Rule>,
) -> (Vec<u32>, Result<Report, LoadError>) {
    launch(words, &[], (&LAUNCH, order), recorder)
}

/// The same of a module of which these constants are given.
fn launch(
    words: &[u32],
    constants: &[(u32, u64)],
    (launch, order): (&Launch, Order),
    recorder: &mut Recorder<Rule>,
) -> (Vec<u32>, Result<Report, LoadError>) {
    let (set, binding) = PUSH_CONSTANTS;
    let mut buffers = [
        Buffer { set: 0, binding: 0, words: vec![10, 11, 12, 13] },
        Buffer { set, binding, words: vec![5, 6] },
    ];
    let launched = |module: &_, buffers: &mut _, recorder: &mut _| {
        Executor::new().launch(module, buffers, launch, &mut *order.schedule(), recorder)
    };
    let report = specialized(words, "main", constants, Floats::Nearest, recorder)
        .map(|module| launched(&module, &mut buffers, recorder));
    let [buffer, _] = buffers;
    (buffer.words, report)
}

fn samples() -> Vec<Sample> {
    let mut samples = arithmetic::samples();
    samples.extend(functions::samples());
    samples.extend(matrices::samples());
    samples.extend(memory::samples());
    samples.extend(invocations::samples());
    samples.extend(structure::samples());
    samples.extend(subgroups::samples());
    samples.extend(variables::samples());
    samples.extend(widths::samples());
    samples
}

/// Every rule fires and every premise fails in some sample, which does what it is meant to.
#[test]
fn every_rule_fires_and_every_premise_fails() {
    let mut recorder = Recorder::counting();
    for sample in samples() {
        sample.check(&mut recorder);
    }
    structure::no_words(&mut recorder);
    subgroups::specialized(&mut recorder);
    validate::broken(&mut recorder);
    let missing = recorder.coverage().missing();
    assert!(missing.is_empty(), "never: {missing:?}");
}

/// A launch that is traced names the earlier access of a race too.
#[test]
fn both_accesses_of_a_race_are_named() {
    let source = "%p = OpAccessChain %pu %data %0 %0\nOpStore %p %me";
    let racing = assemble(&body("", source, Words(&[])).text());
    for (traced, other) in [(false, None), (true, Some("OpStore"))] {
        let (_, report) = launch(
            &racing,
            &[],
            (&Launch { traced, ..LAUNCH }, Order::InOrder),
            &mut Recorder::counting(),
        );
        let findings = report.expect("it is a module").findings;
        let found = |finding: &&Finding| {
            finding.clash.as_ref().is_some_and(|clash| clash.wrote && clash.other_wrote)
        };
        let finding = findings.iter().find(found).expect("two write");
        assert_eq!((finding.rule, finding.place.opcode.as_str()), (Rule::Race, "OpStore"));
        let clash = finding.clash.as_ref().expect("it is a race");
        assert_eq!((clash.cell, clash.other), (Cell::Buffer(0, 0, 0), 0));
        let place = clash.other_place.as_ref();
        assert_eq!(place.map(|place| place.opcode.as_str()), other);
    }
}

/// Whatever the words are: an answer, and no panic; and what is read without `rspirv`'s parser is what
/// that reads.
#[test]
fn any_words_are_answered() {
    let texts: Vec<Vec<u32>> = samples().iter().map(|sample| assemble(&sample.text())).collect();
    let slow = texts.iter().filter(|words| Source::fast(words).is_none()).count();
    assert!(slow * 10 < texts.len(), "{slow} of {} samples want the parser", texts.len());
    let count = texts.len();
    let property = move |which: usize, changes: Vec<(u16, u8, bool)>| {
        let mut words = texts[which % count].clone();
        for (at, by, cut) in changes {
            let at = 5 + usize::from(at) % (words.len() - 5);
            if cut {
                words[at] = words[at].wrapping_add(u32::from(by % 8)).wrapping_sub(3);
            } else {
                words[at] = u32::from(by);
            }
        }
        let _ = run(&words, Order::InOrder, &mut Recorder::counting());
        let _ = super::validate::validate(&words, &mut Recorder::counting());
        Source::fast(&words).is_none_or(|fast| Source::parsed(&words).is_ok_and(|it| it == fast))
    };
    for size in [1, 2, 4] {
        let mut random = quickcheck::Gen::from_size_and_seed(50, size as u64);
        for _ in 0..1500 {
            let which = quickcheck::Arbitrary::arbitrary(&mut random);
            let changes: Vec<(u16, u8, bool)> =
                (0..size).map(|_| quickcheck::Arbitrary::arbitrary(&mut random)).collect();
            assert!(property(which, changes));
        }
    }
}
