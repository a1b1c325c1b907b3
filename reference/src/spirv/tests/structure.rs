//! Structural rules: what is no module, whatever it would compute.

use super::{Fails, Refused, Sample, Words, body, run};
use crate::kit::derivation::Recorder;
use crate::kit::schedule::Order;
use crate::spirv::excused::EXCUSED;
use crate::spirv::parse::load;
use crate::spirv::rules::Rule;
use crate::spirv::values::LoadError;

pub(super) fn samples() -> Vec<Sample> {
    vec![
        body("an id that nothing defines", "OpStore %mine %nothing", Fails(Rule::Ids, "defined")),
        body(
            "an id that is defined twice",
            "%r = OpIAdd %u %x %x\n%r = OpIAdd %u %x %1",
            Fails(Rule::Ids, "once"),
        ),
        of_a_group("an array", ARRAY, Fails(Rule::Interface, "laid out")),
        of_a_group("a structure", STRUCTURE, Fails(Rule::Interface, "laid out")),
        of_a_group("a structure of arrays", NESTED, Fails(Rule::Interface, "laid out")),
        of_a_group("an array that is not laid out", BARE, Words(&[10, 11])),
        body("operands of different types", "%r = OpFAdd %f %x %x", Fails(Rule::Types, "type")),
        body(
            "a phi of a block that does not lead to its own",
            "%c = OpULessThan %bool %x %1
            OpSelectionMerge %done None
            OpBranchConditional %c %yes %done
            %yes = OpLabel
            OpBranch %done
            %done = OpLabel
            %r = OpPhi %u %x %entry %1 %yes %7 %done",
            Fails(Rule::Blocks, "label"),
        ),
        body(
            "a phi that names a block twice",
            "OpBranch %done
            %done = OpLabel
            %r = OpPhi %u %x %entry %1 %entry",
            Fails(Rule::Blocks, "label"),
        ),
        body(
            "a phi without an operand for a block that nothing reaches",
            "OpBranch %done
            %idle = OpLabel
            OpBranch %done
            %done = OpLabel
            %r = OpPhi %u %x %entry",
            Fails(Rule::Blocks, "label"),
        ),
        body(
            "a phi in a block that nothing reaches, of one that does not lead there",
            "OpReturn
            %idle = OpLabel
            %r = OpPhi %u %7 %entry",
            Fails(Rule::Blocks, "label"),
        ),
        body(
            "a phi of blocks of which nothing reaches one",
            "OpBranch %done
            %idle = OpLabel
            OpBranch %done
            %done = OpLabel
            %r = OpPhi %u %7 %idle %x %entry
            OpStore %mine %r",
            Words(&[10, 11, 12, 13]),
        ),
        body("a store of another type", "OpStore %mine %i1", Fails(Rule::Types, "type")),
        body("a result of another type", "%r = OpULessThan %u %x %x", Fails(Rule::Types, "type")),
        body(
            "a use before the definition",
            "%r = OpIAdd %u %s %x\n%s = OpIAdd %u %x %x",
            Fails(Rule::Dominance, "dominates"),
        ),
        body(
            "a use that is not dominated",
            "%c = OpULessThan %bool %x %1
            OpSelectionMerge %done None
            OpBranchConditional %c %yes %done
            %yes = OpLabel
            %r = OpIAdd %u %x %1
            OpBranch %done
            %done = OpLabel
            OpStore %mine %r",
            Fails(Rule::Dominance, "dominates"),
        ),
        body(
            "a block without an end",
            "OpBranch %done\n%done = OpLabel\n%more = OpLabel",
            Fails(Rule::Blocks, "terminator"),
        ),
        body(
            "a block that nothing leads to and that goes on with a loop",
            "OpBranch %head
            %head = OpLabel
            OpLoopMerge %done %again None
            OpBranch %first
            %first = OpLabel
            OpBranch %done
            %behind = OpLabel
            OpBranch %again
            %again = OpLabel
            OpBranch %head
            %done = OpLabel",
            Fails(Rule::Continue, "contained"),
        ),
        body(
            "a condition that is not dominated",
            "%c = OpULessThan %bool %me %1
            OpSelectionMerge %done None
            OpBranchConditional %c %yes %done
            %yes = OpLabel
            %r = OpULessThan %bool %x %1
            OpBranch %done
            %done = OpLabel
            OpSelectionMerge %end None
            OpBranchConditional %r %other %end
            %other = OpLabel
            OpBranch %end
            %end = OpLabel",
            Fails(Rule::Dominance, "dominates"),
        ),
        body(
            "a selector that is not dominated",
            "%c = OpULessThan %bool %me %1
            OpSelectionMerge %done None
            OpBranchConditional %c %yes %done
            %yes = OpLabel
            %r = OpIAdd %u %x %1
            OpBranch %done
            %done = OpLabel
            OpSelectionMerge %end None
            OpSwitch %r %end 1 %other
            %other = OpLabel
            OpBranch %end
            %end = OpLabel",
            Fails(Rule::Dominance, "dominates"),
        ),
        Sample {
            functions: "%again = OpFunction %void None %fn
            %start = OpLabel
            OpBranch %far
            %far = OpLabel
            OpReturn
            OpFunctionEnd",
            ..body(
                "a branch into another function",
                "%r = OpFunctionCall %void %again
                OpBranch %far
                %done = OpLabel",
                Fails(Rule::Blocks, "label"),
            )
        },
        body(
            "blocks that stand before what dominates them",
            "OpBranch %b
            %a = OpLabel
            %v = OpIAdd %u %x %1
            OpStore %mine %7
            OpBranch %done
            %b = OpLabel
            OpBranch %a
            %done = OpLabel",
            Words(&[7, 7, 7, 7]),
        ),
        body("a branch to no block", "OpBranch %x\n%done = OpLabel", Fails(Rule::Blocks, "label")),
        body(
            "an instruction in no block",
            "OpReturn\n%r = OpIAdd %u %x %x\n%more = OpLabel",
            Fails(Rule::Blocks, "label"),
        ),
        Sample {
            functions: "%again = OpFunction %void None %fn
            %start = OpLabel
            %s = OpFunctionCall %void %again
            OpReturn
            OpFunctionEnd",
            ..body(
                "a function that calls itself",
                "%r = OpFunctionCall %void %again",
                Fails(Rule::Calls, "recursion"),
            )
        },
        Sample {
            globals: "OpExecutionModeId %main LocalSizeId %1 %1 %one\n%one = OpSpecConstant %u 1",
            ..body(
                "a size by constants",
                "%r = OpIAdd %u %x %1\nOpStore %mine %r",
                Words(&[11, 12, 12, 13]),
            )
        },
        Sample {
            globals: "OpExecutionModeId %main LocalSizeId %1 %x %1",
            ..body("a size that is no constant", "", Fails(Rule::Types, "type"))
        },
        Sample {
            globals: "%odd = OpTypeInt 24 0",
            ..body("a width that is not modelled", "", Refused("24"))
        },
    ]
}

const ARRAY: &str = "OpDecorate %laid ArrayStride 4\n%laid = OpTypeArray %u %2";
const STRUCTURE: &str = "OpMemberDecorate %laid 1 Offset 4\n%laid = OpTypeStruct %u %u";
const NESTED: &str =
    "OpDecorate %row ArrayStride 4\n%row = OpTypeArray %u %2\n%laid = OpTypeStruct %u %row";
const BARE: &str = "%laid = OpTypeArray %u %2";

/// A work-group variable of the type `%laid`, which nothing uses.
fn of_a_group(name: &'static str, laid: &str, want: super::Want) -> Sample {
    let globals = format!(
        "{laid}\n%w_laid = OpTypePointer Workgroup %laid\n%group = OpVariable %w_laid Workgroup"
    );
    Sample { globals: globals.leak(), ..body(name, "", want) }
}

/// What naga writes so is excused; by the number of another compiler it is refused.
#[test]
fn what_a_compiler_is_known_for_is_excused() {
    for (laid, excused) in [(ARRAY, true), (STRUCTURE, true), (NESTED, true), (BARE, false)] {
        let mut words = super::assemble(&of_a_group("", laid, Words(&[])).text());
        words[2] = EXCUSED[0].generator;
        load(&words, "main", &mut Recorder::counting()).expect("it is excused");
        // Tint.
        words[2] = 23 << 16;
        match load(&words, "main", &mut Recorder::counting()) {
            Err(LoadError::Invalid(finding)) if excused => {
                assert_eq!((finding.rule, finding.premise), (Rule::Interface, "laid out"));
                assert!(finding.to_string().contains("OpVariable"), "{finding}");
            }
            other => assert!(other.is_ok() && !excused, "{laid}: {:?}", other.err()),
        }
    }
}

/// Words that are no module.
pub(super) fn no_words(recorder: &mut Recorder<Rule>) {
    const HEADER: [u32; 5] = [0x0723_0203, 0x0001_0000, 0, 9, 0];
    let behind = |words: &[u32]| [&HEADER, words].concat();
    for words in [
        vec![],
        vec![1, 2, 3],
        behind(&[0]),
        // A name of six words, of which the last three are not there; behind a word that is no instruction too.
        behind(&[6 << 16 | 5, 1, 0x4141_4141, 0x4141_4141]),
        behind(&[1 << 16 | 0xffff, 6 << 16 | 5, 1, 0x4141_4141]),
    ] {
        match run(&words, Order::InOrder, recorder).1 {
            Err(LoadError::Invalid(finding)) => assert_eq!(finding.rule, Rule::Physical),
            other => panic!("{other:?}"),
        }
    }
}

/// Uses are looked at from the end on; the first one that is wrong is reported all the same.
#[test]
fn of_uses_that_are_wrong_the_first_is_named() {
    let source = "%a = OpIAdd %u %x %late\nOpStore %mine %nothing\n%late = OpIAdd %u %x %absent";
    let words = super::assemble(&body("", source, Words(&[])).text());
    match run(&words, Order::InOrder, &mut Recorder::counting()).1 {
        Err(LoadError::Invalid(finding)) => {
            let found = (finding.rule, finding.place.opcode.as_str());
            assert_eq!(found, (Rule::Dominance, "OpIAdd"), "{finding}");
        }
        other => panic!("{other:?}"),
    }
}

/// Types nest as deeply as the deepest of those that they name, whichever that is.
#[test]
fn types_nest_no_deeper_than_the_specification_has_it() {
    for [before, behind] in [["", " %u"], [" %u", ""]] {
        let nested = |depth: u32| -> String {
            (1..=depth)
                .map(|n| format!("%s{n} = OpTypeStruct{before} %s{}{behind}\n", n - 1))
                .collect()
        };
        for (depth, fits) in [(254, true), (255, false)] {
            let globals = format!("%s0 = OpTypeStruct %u\n{}", nested(depth));
            let sample = Sample { globals: globals.leak(), ..body("nested", "", Words(&[])) };
            let words = super::assemble(&sample.text());
            match run(&words, Order::InOrder, &mut Recorder::counting()).1 {
                Err(LoadError::Unsupported(text)) => {
                    assert!(!fits && text.contains("nest too deeply"), "{depth}: {text}");
                }
                other => assert!(fits, "{depth}: {other:?}"),
            }
        }
    }
}
