//! Memory: what is written before it is read, inside of what there is, and control flow over it.

use super::{Fails, Refused, Sample, Words, body};
use crate::spirv::rules::Rule;

pub(super) fn samples() -> Vec<Sample> {
    let mut samples = control();
    samples.extend(vec![
        Sample {
            variables: "%v = OpVariable %fu Function %1",
            ..body("a variable", "%a = OpLoad %u %v\n%r = OpIAdd %u %a %x\nOpStore %v %r\n%b = OpLoad %u %v\nOpStore %mine %b", Words(&[11, 12, 13, 14]))
        },
        Sample {
            variables: "%v = OpVariable %fu Function",
            ..body("a variable that nothing wrote", "%a = OpLoad %u %v", Fails(Rule::Load, "written"))
        },
        Sample {
            variables: "%v = OpVariable %fu Function",
            ..body("a variable that is written first", "OpStore %v %x\n%a = OpLoad %u %v\nOpStore %mine %a", Words(&[10]))
        },
        Sample {
            variables: "%v = OpVariable %fu Function %1",
            ..body("what was loaded before another value was stored", "%a = OpLoad %u %v\nOpStore %v %x\n%b = OpLoad %u %v\n%r = OpISub %u %b %a\nOpStore %mine %r", Words(&[9, 10, 11, 12]))
        },
        Sample {
            globals: "%pair_of = OpConstantComposite %v2 %1 %2\n%f_v2 = OpTypePointer Function %v2\n%others = OpConstantComposite %v2 %7 %7",
            variables: "%v = OpVariable %f_v2 Function %pair_of",
            ..body("a part of what was loaded before another value was stored", "%a = OpLoad %v2 %v\n%second = OpCompositeExtract %u %a 1\nOpStore %v %others\n%r = OpIAdd %u %second %x\nOpStore %mine %r", Words(&[12, 13, 14, 15]))
        },
        Sample {
            variables: "%v = OpVariable %fu Function %1",
            ..body("what was loaded in another block", "%a = OpLoad %u %v\nOpBranch %next\n%next = OpLabel\nOpStore %v %x\n%r = OpIAdd %u %a %x\nOpStore %mine %r", Words(&[11, 12, 13, 14]))
        },
        Sample {
            globals: "%zeros = OpConstantNull %four",
            variables: "%v = OpVariable %f_four Function %zeros",
            ..body("an array", "%k = OpUMod %u %x %4\n%p = OpAccessChain %fu %v %k\nOpStore %p %x\n%q = OpInBoundsAccessChain %fu %v %2\n%r = OpLoad %u %q\nOpStore %mine %r", Words(&[10, 0, 0, 0]))
        },
        Sample {
            globals: "%zeros = OpConstantNull %four",
            variables: "%v = OpVariable %f_four Function %zeros",
            ..body("an index outside of an array", "%p = OpAccessChain %fu %v %x\nOpStore %p %x", Fails(Rule::AccessChain, "bounds"))
        },
        Sample {
            globals: "%zeros = OpConstantNull %four",
            variables: "%v = OpVariable %f_four Function %zeros",
            ..body("an index that is undefined", "%p = OpAccessChain %fu %v %undefined", Fails(Rule::AccessChain, "defined"))
        },
        body("the length of a buffer", "%n = OpArrayLength %u %data 0\nOpStore %mine %n", Words(&[4, 4, 4, 4])),
        body("an index outside of a buffer", "%p = OpAccessChain %pu %data %0 %4\nOpStore %p %x", Fails(Rule::AccessChain, "length")),
        body("a value that is undefined", "OpStore %mine %undefined", Fails(Rule::Store, "defined")),
        Sample {
            globals: FIVE,
            ..body("a read behind the end of a buffer", "%p = OpAccessChain %pu %fixed %0 %4\n%r = OpLoad %u %p\nOpStore %mine %r", Fails(Rule::Load, "inside"))
        },
        Sample {
            globals: FIVE,
            ..body("a write behind the end of a buffer", "%p = OpAccessChain %pu %fixed %0 %4\nOpStore %p %x", Fails(Rule::Store, "inside"))
        },
        Sample {
            globals: FIVE,
            ..body("an atomic behind the end of a buffer", "%p = OpAccessChain %pu %fixed %0 %4\n%r = OpAtomicIAdd %u %p %1 %72 %1", Fails(Rule::Atomic, "inside"))
        },
        Sample {
            globals: "%image = OpTypeSampler",
            ..body("a type that is not modelled", "", Refused("OpTypeSampler"))
        },
        body("an instruction that is not modelled", "%a = OpConvertUToF %f %x\n%b = OpDPdx %f %a", Refused("OpDPdx")),
    ]);
    samples
}

/// A block of five words, bound to the buffer of four. Decorations may stand here, since only the
/// order of definitions matters to a reader.
const FIVE: &str = "
OpDecorate %five_words ArrayStride 4
OpMemberDecorate %five_block 0 Offset 0
OpDecorate %fixed Binding 0
%5 = OpConstant %u 5
%five_words = OpTypeArray %u %5
%five_block = OpTypeStruct %five_words
%p_five = OpTypePointer StorageBuffer %five_block
%fixed = OpVariable %p_five StorageBuffer";

fn control() -> Vec<Sample> {
    vec![
        body(
            "a loop with a phi",
            "OpBranch %head
            %head = OpLabel
            %k = OpPhi %u %0 %entry %next %again
            %sum = OpPhi %u %0 %entry %more %again
            %go = OpULessThan %bool %k %x
            OpLoopMerge %done %again None
            OpBranchConditional %go %again %done
            %again = OpLabel
            %next = OpIAdd %u %k %1
            %more = OpIAdd %u %sum %k
            OpBranch %head
            %done = OpLabel
            OpStore %mine %sum",
            Words(&[45, 55, 66, 78]),
        ),
        body(
            "phis that swap",
            "OpBranch %head
            %head = OpLabel
            %k = OpPhi %u %0 %entry %next %again
            %a = OpPhi %u %x %entry %b %again
            %b = OpPhi %u %7 %entry %a %again
            %go = OpULessThan %bool %k %3
            OpLoopMerge %done %again None
            OpBranchConditional %go %again %done
            %again = OpLabel
            %next = OpIAdd %u %k %1
            OpBranch %head
            %done = OpLabel
            OpStore %mine %b",
            Words(&[10, 11, 12, 13]),
        ),
        body(
            "a loop without end",
            "OpBranch %head
            %head = OpLabel
            OpLoopMerge %done %again None
            OpBranch %again
            %again = OpLabel
            OpBranch %head
            %done = OpLabel",
            Fails(Rule::Loop, "fuel"),
        ),
        body(
            "a switch",
            "OpSelectionMerge %done None
            OpSwitch %x %other 10 %ten 12 %other
            %ten = OpLabel
            OpStore %mine %1
            OpBranch %done
            %other = OpLabel
            OpStore %mine %2
            OpBranch %done
            %done = OpLabel",
            Words(&[1, 2, 2, 2]),
        ),
        body(
            "a switch on what is undefined",
            "OpSelectionMerge %done None
            OpSwitch %undefined %done
            %done = OpLabel",
            Fails(Rule::Switch, "defined"),
        ),
        body(
            "a branch on what is undefined",
            "%c = OpULessThan %bool %undefined %x
            OpSelectionMerge %done None
            OpBranchConditional %c %yes %done
            %yes = OpLabel
            OpBranch %done
            %done = OpLabel",
            Fails(Rule::Branch, "defined"),
        ),
        body(
            "what is not reached",
            "%c = OpULessThan %bool %x %1
            OpSelectionMerge %done None
            OpBranchConditional %c %never %done
            %never = OpLabel
            OpUnreachable
            %done = OpLabel
            OpStore %mine %1",
            Words(&[1]),
        ),
        body(
            "what must not be reached",
            "%c = OpULessThan %bool %1 %x
            OpSelectionMerge %done None
            OpBranchConditional %c %never %done
            %never = OpLabel
            OpUnreachable
            %done = OpLabel",
            Fails(Rule::Unreachable, "reached"),
        ),
        Sample {
            globals: "%tf = OpTypeFunction %u %fu %u",
            variables: "%v = OpVariable %fu Function %7",
            functions: "%add = OpFunction %u None %tf
            %target = OpFunctionParameter %fu
            %by = OpFunctionParameter %u
            %start = OpLabel
            %own = OpVariable %fu Function %1
            %old = OpLoad %u %target
            %one = OpLoad %u %own
            %new = OpIAdd %u %old %by
            OpStore %target %new
            %sum = OpIAdd %u %new %one
            OpReturnValue %sum
            OpFunctionEnd",
            ..body(
                "a call with a pointer",
                "%r = OpFunctionCall %u %add %v %x\n%a = OpLoad %u %v\n%s = OpIAdd %u %r %a\nOpStore %mine %s",
                Words(&[35, 37, 39, 41]),
            )
        },
    ]
}
