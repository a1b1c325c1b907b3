//! Subgroups of two invocations; atomics of 64 bits, constants that are computed or given, push
//! constants.

use super::{Fails, LAUNCH, Refused, Sample, Words, assemble, body, launch};
use crate::kit::derivation::Recorder;
use crate::kit::schedule::Order;
use crate::spirv::rules::Rule;
use crate::spirv::values::LoadError;

const VECTORS: &str = "%v4 = OpTypeVector %u 4\n%scope = OpConstant %u 3\n%14 = OpConstant %u 14";

/// A body with what subgroups need.
fn lanes(name: &'static str, text: &'static str, want: super::Want) -> Sample {
    Sample { globals: VECTORS, ..body(name, text, want) }
}

pub(super) fn samples() -> Vec<Sample> {
    let mut samples = vec![
        lanes(
            "a sum",
            "%r = OpGroupNonUniformIAdd %u %scope Reduce %x\nOpStore %mine %r",
            Words(&[21, 21, 25, 25]),
        ),
        lanes(
            "sums so far",
            "%r = OpGroupNonUniformIAdd %u %scope InclusiveScan %x\nOpStore %mine %r",
            Words(&[10, 21, 12, 25]),
        ),
        lanes(
            "products before",
            "%r = OpGroupNonUniformIMul %u %scope ExclusiveScan %x\nOpStore %mine %r",
            Words(&[1, 10, 1, 12]),
        ),
        lanes(
            "the least and the greatest",
            "%a = OpGroupNonUniformUMin %u %scope Reduce %x\n%b = OpGroupNonUniformUMax %u %scope Reduce %x\n%r = OpISub %u %b %a\nOpStore %mine %r",
            Words(&[1, 1, 1, 1]),
        ),
        lanes(
            "bits",
            "%r = OpGroupNonUniformBitwiseXor %u %scope Reduce %x\nOpStore %mine %r",
            Words(&[1, 1, 1, 1]),
        ),
        lanes(
            "floats",
            "%a = OpConvertUToF %f %x\n%b = OpGroupNonUniformFAdd %f %scope Reduce %a\n%r = OpConvertFToU %u %b\nOpStore %mine %r",
            Words(&[21, 21, 25, 25]),
        ),
        lanes(
            "who votes how",
            "%c = OpIEqual %bool %local %0
            %all = OpGroupNonUniformAll %bool %scope %c
            %any = OpGroupNonUniformAny %bool %scope %c
            %both = OpGroupNonUniformLogicalOr %bool %scope Reduce %c
            %one = OpGroupNonUniformElect %bool %scope
            %a = OpSelect %u %all %1 %0
            %b = OpSelect %u %any %2 %0
            %d = OpSelect %u %both %4 %0
            %e = OpSelect %u %one %32 %0
            %ab = OpIAdd %u %a %b
            %abd = OpIAdd %u %ab %d
            %r = OpIAdd %u %abd %e
            OpStore %mine %r",
            Words(&[38, 6, 38, 6]),
        ),
        lanes(
            "a ballot",
            "%c = OpIEqual %bool %local %1\n%b = OpGroupNonUniformBallot %v4 %scope %c\n%r = OpCompositeExtract %u %b 0\nOpStore %mine %r",
            Words(&[2, 2, 2, 2]),
        ),
        lanes(
            "the first",
            "%r = OpGroupNonUniformBroadcastFirst %u %scope %x\nOpStore %mine %r",
            Words(&[10, 10, 12, 12]),
        ),
        lanes(
            "one of them",
            "%r = OpGroupNonUniformBroadcast %u %scope %x %1\nOpStore %mine %r",
            Words(&[11, 11, 13, 13]),
        ),
        lanes(
            "one that is not there",
            "%r = OpGroupNonUniformBroadcast %u %scope %x %2\nOpStore %mine %r",
            Fails(Rule::Store, "defined"),
        ),
        lanes(
            "one that is not there, and not used",
            "%r = OpGroupNonUniformBroadcast %u %scope %x %2",
            Words(&[10, 11, 12, 13]),
        ),
        lanes(
            "neighbours",
            "%r = OpGroupNonUniformShuffleXor %u %scope %x %1\nOpStore %mine %r",
            Words(&[11, 10, 13, 12]),
        ),
        lanes(
            "oneself",
            "%r = OpGroupNonUniformShuffle %u %scope %x %local\nOpStore %mine %r",
            Words(&[10, 11, 12, 13]),
        ),
        lanes(
            "one further up than there are",
            "%r = OpGroupNonUniformShuffleUp %u %scope %x %1\nOpStore %mine %r",
            Fails(Rule::Store, "defined"),
        ),
        lanes(
            "across a quad",
            "%r = OpGroupNonUniformQuadSwap %u %scope %x %0\nOpStore %mine %r",
            Words(&[11, 10, 13, 12]),
        ),
        lanes(
            "only who is there takes part",
            "%c = OpIEqual %bool %local %1
            OpSelectionMerge %done None
            OpBranchConditional %c %yes %done
            %yes = OpLabel
            %a = OpGroupNonUniformIAdd %u %scope Reduce %x
            OpStore %mine %a
            OpBranch %done
            %done = OpLabel
            %y = OpLoad %u %mine
            %b = OpGroupNonUniformIAdd %u %scope Reduce %y
            OpStore %mine %b",
            Words(&[21, 21, 25, 25]),
        ),
        lanes(
            "who is elsewhere cannot be asked",
            "%c = OpIEqual %bool %local %1
            OpSelectionMerge %done None
            OpBranchConditional %c %yes %done
            %yes = OpLabel
            %a = OpGroupNonUniformShuffle %u %scope %x %0
            OpStore %mine %a
            OpBranch %done
            %done = OpLabel",
            Fails(Rule::Store, "defined"),
        ),
        lanes(
            "subgroups and barriers",
            "%p = OpAccessChain %pu %data %0 %me
            %a = OpGroupNonUniformIAdd %u %scope Reduce %x
            OpControlBarrier %2 %2 %264
            %b = OpGroupNonUniformIAdd %u %scope Reduce %a
            OpStore %mine %b",
            Words(&[42, 42, 50, 50]),
        ),
        lanes("of the work group", "%r = OpGroupNonUniformIAdd %u %2 Reduce %x", Refused("scope")),
    ];
    samples.extend(others());
    samples
}

/// Numbers of 64 bits in the first two words.
const LONG: &str = "
OpDecorate %longs ArrayStride 8
OpMemberDecorate %long_block 0 Offset 0
OpDecorate %wide Binding 0
%long = OpTypeInt 64 0
%longs = OpTypeRuntimeArray %long
%long_block = OpTypeStruct %longs
%p_long_block = OpTypePointer StorageBuffer %long_block
%p_long = OpTypePointer StorageBuffer %long
%wide = OpVariable %p_long_block StorageBuffer
%big = OpConstant %long 4294967297";

const PUSHED: &str = "
OpMemberDecorate %pushed_block 0 Offset 0
OpMemberDecorate %pushed_block 1 Offset 4
%pushed_block = OpTypeStruct %u %u
%p_pushed = OpTypePointer PushConstant %pushed_block
%p_push = OpTypePointer PushConstant %u
%pushed = OpVariable %p_pushed PushConstant";

fn others() -> Vec<Sample> {
    let constant = |name, globals, text, want| Sample { globals, ..body(name, text, want) };
    vec![
        constant(
            "an atomic of 64 bits",
            LONG,
            "%p = OpAccessChain %p_long %wide %0 %1\n%a = OpAtomicIAdd %long %p %1 %72 %big",
            Fails(Rule::Race, "race"),
        ),
        constant(
            "atomics of 64 bits carry",
            "
%long = OpTypeInt 64 0
%w_long = OpTypePointer Workgroup %long
%zero = OpConstantNull %long
%count = OpVariable %w_long Workgroup %zero
%big = OpConstant %long 4294967295
%wide32 = OpConstant %long 32",
            "%a = OpAtomicIAdd %long %count %2 %264 %big
            OpControlBarrier %2 %2 %264
            %b = OpAtomicLoad %long %count %2 %264
            %c = OpShiftRightLogical %long %b %wide32
            %r = OpUConvert %u %c
            OpStore %mine %r",
            Words(&[1, 1, 1, 1]),
        ),
        constant(
            "an atomic of 64 bits that leaves its buffer",
            LONG,
            "%p = OpAccessChain %p_long %wide %0 %2\n%a = OpAtomicIAdd %long %p %1 %72 %big",
            Fails(Rule::AccessChain, "length"),
        ),
        constant(
            "push constants",
            PUSHED,
            "%p = OpAccessChain %p_push %pushed %1\n%r = OpLoad %u %p\nOpStore %mine %r",
            Words(&[6, 6, 6, 6]),
        ),
        constant(
            "constants that are computed",
            "%six = OpSpecConstant %u 6
            %a = OpSpecConstantOp %u IMul %six %7
            %b = OpSpecConstantOp %u UDiv %a %4
            %c = OpSpecConstantOp %bool UGreaterThan %b %7
            %d = OpSpecConstantOp %u Select %c %b %0
            %e = OpSpecConstantOp %u ShiftLeftLogical %d %1",
            "OpStore %mine %e",
            Words(&[20, 20, 20, 20]),
        ),
        constant(
            "a constant that is undefined",
            "%a = OpSpecConstantOp %u UDiv %7 %0",
            "OpStore %mine %a",
            Fails(Rule::Store, "defined"),
        ),
        constant(
            "an operation on what is no constant",
            "%a = OpSpecConstantOp %u IAdd %7 %data",
            "",
            Fails(Rule::Types, "type"),
        ),
    ]
}

/// Constants that a pipeline may give: their number is how they are called here.
const GIVEN: &str = "
OpDecorate %count SpecId 3
OpDecorate %long_count SpecId 4
OpDecorate %chosen SpecId 5
OpDecorate %kept SpecId 6
%long = OpTypeInt 64 0
%count = OpSpecConstant %u 6
%long_count = OpSpecConstant %long 8589934592
%chosen = OpSpecConstantFalse %bool
%kept = OpSpecConstant %u 9
%twice = OpSpecConstantOp %u IMul %count %2";

/// What is given takes the place of what the module says, also in what is computed of it; a number that
/// no constant has is passed over, and a value that is too large for its type is told.
pub(super) fn specialized(recorder: &mut Recorder<Rule>) {
    let text = "%half = OpShiftRightLogical %long %long_count %32
        %high = OpUConvert %u %half
        %a = OpSelect %u %chosen %twice %7
        %b = OpIAdd %u %a %high
        %c = OpIAdd %u %b %kept
        OpStore %mine %c";
    let sample = Sample { globals: GIVEN, ..body("constants that are given", text, Words(&[])) };
    let words = assemble(&sample.text());
    let mut given =
        |constants: &[(u32, u64)]| launch(&words, constants, (&LAUNCH, Order::InOrder), recorder);
    for (constants, sum) in [
        (&[][..], 7 + 2 + 9),
        (&[(5, 1)], 12 + 2 + 9),
        (&[(3, 100), (5, 1)], 200 + 2 + 9),
        (&[(4, 5 << 32), (6, 1), (77, 1)], 7 + 5 + 1),
    ] {
        let (words, report) = given(constants);
        assert_eq!(report.expect("it is a module").findings, [], "{constants:?}");
        assert_eq!(words, [sum; 4], "{constants:?}");
    }
    for constants in [[(3, 1 << 32)], [(5, 2)], [(6, u64::MAX)]] {
        match given(&constants).1 {
            Err(LoadError::Invalid(finding)) => {
                assert_eq!((finding.rule, finding.premise), (Rule::Specialize, "size"));
            }
            other => panic!("{constants:?}: {other:?}"),
        }
    }
}
