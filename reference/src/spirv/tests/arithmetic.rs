//! Arithmetic, bits, comparisons, conversions: what is defined, and what is not.

use super::{Fails, Refused, Sample, Want, Words, body};
use crate::spirv::rules::Rule;

/// `%r` is computed and stored.
fn stores(name: &'static str, text: &'static str, want: Want) -> Sample {
    body(name, text, want)
}

/// An undefined result that is stored is found at the store.
const STORED: Want = Fails(Rule::Store, "defined");

pub(super) fn samples() -> Vec<Sample> {
    let mut samples = divisions();
    samples.extend(shifts());
    samples.extend(vec![
        stores("integers", "%a = OpIAdd %u %x %1\n%b = OpIMul %u %a %2\n%c = OpISub %u %b %1\n%d = OpSNegate %u %c\n%e = OpSNegate %u %d\nOpStore %mine %e", Words(&[21, 23, 25, 27])),
        stores("bits", "%a = OpBitwiseAnd %u %x %7\n%b = OpBitwiseOr %u %a %32\n%c = OpBitwiseXor %u %b %1\n%d = OpNot %u %c\n%e = OpNot %u %d\n%r = OpBitCount %u %e\nOpStore %mine %r", Words(&[3, 2, 3, 2])),
        stores("an undefined bit that does not matter", "%a = OpBitwiseAnd %u %undefined %0\n%r = OpIAdd %u %a %x\nOpStore %mine %r", Words(&[10])),
        stores("an undefined bit that matters", "%a = OpBitwiseAnd %u %undefined %1\nOpStore %mine %a", STORED),
        stores("or", "%a = OpLogicalOr %bool %true %false\n%b = OpLogicalAnd %bool %a %true\n%c = OpLogicalNot %bool %b\n%r = OpSelect %u %c %1 %2\nOpStore %mine %r", Words(&[2, 2])),
        stores("comparisons", "%a = OpULessThan %bool %x %264\n%b = OpSLessThan %bool %minus %i0\n%c = OpLogicalEqual %bool %a %b\n%r = OpSelect %u %c %1 %2\nOpStore %mine %r", Words(&[1, 1])),
        stores("floats", "%a = OpConvertUToF %f %x\n%b = OpFAdd %f %a %a\n%c = OpConvertFToS %i %b\n%r = OpBitcast %u %c\nOpStore %mine %r", Words(&[20, 22])),
        Sample {
            globals: "%huge = OpConstant %f 3000000000.0",
            ..stores("a float beyond an i32", "%c = OpConvertFToS %i %huge\n%r = OpBitcast %u %c\nOpStore %mine %r", STORED)
        },
        Sample {
            globals: "%huge = OpConstant %f 3000000000.0",
            ..stores("a float inside a u32", "%r = OpConvertFToU %u %huge\nOpStore %mine %r", Words(&[3_000_000_000]))
        },
        Sample {
            globals: "%long = OpTypeInt 64 1\n%big = OpConstant %long 4294967296",
            ..stores("64 bits", "%a = OpUConvert %long %x\n%b = OpIAdd %long %a %big\n%c = OpShiftRightLogical %long %b %32\n%r = OpUConvert %u %c\nOpStore %mine %r", Words(&[1, 1]))
        },
        Sample {
            globals: "%long = OpTypeInt 64 1\n%wide = OpTypeFloat 64\n%half = OpConstant %wide 0.5",
            ..stores("doubles", "%a = OpConvertUToF %wide %x\n%b = OpFMul %wide %a %half\n%c = OpConvertFToS %long %b\n%r = OpSConvert %u %c\nOpStore %mine %r", Words(&[5, 5, 6, 6]))
        },
        stores("a bit field", "%r = OpBitFieldUExtract %u %264 %3 %7\nOpStore %mine %r", Words(&[33])),
        stores("a bit field that leaves the number", "%r = OpBitFieldUExtract %u %x %31 %2\nOpStore %mine %r", STORED),
        stores("a signed bit field", "%r = OpBitFieldSExtract %u %7 %1 %2\nOpStore %mine %r", Words(&[u32::MAX])),
        stores("a bit field put in", "%r = OpBitFieldInsert %u %0 %7 %1 %2\nOpStore %mine %r", Words(&[6])),
        stores("extended", "%a = OpExtInst %u %glsl UMax %x %31\n%b = OpExtInst %u %glsl UMin %a %72\n%r = OpExtInst %u %glsl FindUMsb %b\nOpStore %mine %r", Words(&[4])),
        stores("clamp", "%r = OpExtInst %u %glsl UClamp %x %1 %7\nOpStore %mine %r", Words(&[7, 7])),
        stores("clamp with low above high", "%r = OpExtInst %u %glsl UClamp %x %7 %1\nOpStore %mine %r", STORED),
        stores("an extended instruction that is not modelled", "%a = OpConvertUToF %f %x\n%r = OpExtInst %f %glsl InterpolateAtSample %a %0", Refused("InterpolateAtSample")),
        stores("vectors", "%a = OpCompositeConstruct %v2 %x %1\n%b = OpIAdd %v2 %a %a\n%c = OpVectorShuffle %v2 %b %a 1 0\n%r = OpCompositeExtract %u %c 1\nOpStore %mine %r", Words(&[20, 22])),
        stores("equal vectors", "%a = OpCompositeConstruct %v2 %x %1\n%e = OpIEqual %b2 %a %a\n%all = OpAll %bool %e\n%r = OpSelect %u %all %1 %2\nOpStore %mine %r", Words(&[1])),
        stores("a component", "%a = OpCompositeConstruct %v2 %x %1\n%r = OpVectorExtractDynamic %u %a %local\nOpStore %mine %r", Words(&[10, 1, 12, 1])),
        stores("a component that is not there", "%a = OpCompositeConstruct %v2 %x %1\n%r = OpVectorExtractDynamic %u %a %2\nOpStore %mine %r", STORED),
        stores("a component put in", "%a = OpCompositeConstruct %v2 %x %1\n%b = OpVectorInsertDynamic %v2 %a %7 %local\n%r = OpCompositeExtract %u %b 0\nOpStore %mine %r", Words(&[7, 11])),
        stores("composites", "%v = OpCompositeConstruct %v2 %1 %2\n%a = OpCompositeConstruct %pair %x %v\n%b = OpCompositeInsert %pair %7 %a 1 0\n%r = OpCompositeExtract %u %b 1 0\nOpStore %mine %r", Words(&[7])),
        stores("undefined and not chosen", "%r = OpSelect %u %true %x %undefined\nOpStore %mine %r", Words(&[10])),
        stores("undefined and chosen", "%r = OpSelect %u %false %x %undefined\nOpStore %mine %r", STORED),
        stores("undefined in the body", "%a = OpUndef %u\nOpStore %mine %a", STORED),
    ]);
    samples
}

/// An undefined result that nothing uses is no finding, one that is stored is.
fn divisions() -> Vec<Sample> {
    vec![
        stores("division", "%r = OpUDiv %u %x %3\nOpStore %mine %r", Words(&[3, 3, 4, 4])),
        stores("an unused division by zero", "%r = OpUDiv %u %x %0\nOpStore %mine %1", Words(&[1])),
        stores("division by zero", "%r = OpUDiv %u %x %0\nOpStore %mine %r", STORED),
        stores("remainder", "%r = OpUMod %u %x %3\nOpStore %mine %r", Words(&[1, 2, 0, 1])),
        stores("remainder of zero", "%r = OpUMod %u %x %0\nOpStore %mine %r", STORED),
        stores(
            "signed division",
            "%a = OpSDiv %i %minus %i1\n%r = OpBitcast %u %a\nOpStore %mine %r",
            Words(&[u32::MAX]),
        ),
        stores(
            "signed division by zero",
            "%a = OpSDiv %i %i7 %i0\n%r = OpBitcast %u %a\nOpStore %mine %r",
            STORED,
        ),
        stores(
            "signed division that overflows",
            "%a = OpSDiv %i %least %minus\n%r = OpBitcast %u %a\nOpStore %mine %r",
            STORED,
        ),
        stores(
            "signed remainder",
            "%a = OpSRem %i %i7 %i7\n%r = OpBitcast %u %a\nOpStore %mine %r",
            Words(&[0]),
        ),
        stores(
            "signed remainder by zero",
            "%a = OpSRem %i %i7 %i0\n%r = OpBitcast %u %a\nOpStore %mine %r",
            STORED,
        ),
        stores(
            "signed remainder of a negative",
            "%a = OpSRem %i %minus %i7\n%r = OpBitcast %u %a\nOpStore %mine %r",
            STORED,
        ),
        stores(
            "signed modulo",
            "%a = OpSMod %i %i7 %i7\n%r = OpBitcast %u %a\nOpStore %mine %r",
            Words(&[0]),
        ),
        stores(
            "signed modulo by zero",
            "%a = OpSMod %i %i7 %i0\n%r = OpBitcast %u %a\nOpStore %mine %r",
            STORED,
        ),
        stores(
            "signed modulo of a negative",
            "%a = OpSMod %i %minus %i7\n%r = OpBitcast %u %a\nOpStore %mine %r",
            STORED,
        ),
    ]
}

fn shifts() -> Vec<Sample> {
    vec![
        stores("shift", "%r = OpShiftLeftLogical %u %1 %x\nOpStore %mine %r", Words(&[1024, 2048])),
        stores("shift too far", "%r = OpShiftLeftLogical %u %x %32\nOpStore %mine %r", STORED),
        stores(
            "right shift",
            "%r = OpShiftRightLogical %u %264 %3\nOpStore %mine %r",
            Words(&[33]),
        ),
        stores(
            "right shift too far",
            "%r = OpShiftRightLogical %u %x %32\nOpStore %mine %r",
            STORED,
        ),
        stores(
            "arithmetic shift",
            "%a = OpShiftRightArithmetic %i %least %31\n%r = OpBitcast %u %a\nOpStore %mine %r",
            Words(&[u32::MAX]),
        ),
        stores(
            "arithmetic shift too far",
            "%a = OpShiftRightArithmetic %i %least %32\n%r = OpBitcast %u %a\nOpStore %mine %r",
            STORED,
        ),
    ]
}

#[test]
fn the_finding_names_where_the_value_became_undefined() {
    let samples = shifts();
    let (_, report) =
        samples[1].run(Default::default(), &mut crate::kit::derivation::Recorder::counting());
    let finding = &report.expect("it is a module").findings[0];
    let text = finding.to_string();
    assert!(text.contains("the value is undefined"), "{text}");
    assert!(text.contains("at OpStore"), "{text}");
    assert!(text.contains("in main, invocation 0; undefined since OpShiftLeftLogical"), "{text}");
    assert!(text.ends_with("(width)"), "{text}");
    assert_eq!(finding.failed, Some("width"));
}
