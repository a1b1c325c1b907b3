//! Functions of floating-point numbers, packing, and instructions with two results.

use super::{Fails, Refused, Sample, Want, Words, body};
use crate::spirv::rules::Rule;

/// A function of numbers, with operands and its value.
const VALUES: &[(&str, &[f32], f32)] = &[
    ("Exp", &[std::f32::consts::LN_2], 2.0),
    ("Exp", &[1.0], std::f32::consts::E),
    ("Exp", &[f32::NEG_INFINITY], 0.0),
    ("Exp2", &[-3.0], 0.125),
    ("Log", &[std::f32::consts::E], 0.999_999_94),
    ("Log2", &[8.0], 3.0),
    ("Pow", &[2.0, 0.5], std::f32::consts::SQRT_2),
    ("Sin", &[1.0], 0.841_470_96),
    ("Cos", &[1.0], 0.540_302_3),
    ("Tan", &[1.0], 1.557_407_7),
    ("Asin", &[1.0], std::f32::consts::FRAC_PI_2),
    ("Acos", &[1.0], 0.0),
    ("Atan", &[1.0], std::f32::consts::FRAC_PI_4),
    ("Atan2", &[1.0, -1.0], 2.356_194_5),
    ("Sinh", &[1.0], 1.175_201_2),
    ("Cosh", &[1.0], 1.543_080_7),
    ("Tanh", &[1.0], 0.761_594_2),
    ("Asinh", &[1.0], 0.881_373_6),
    ("Acosh", &[2.0], 1.316_958),
    ("Atanh", &[0.5], 0.549_306_15),
    ("Round", &[2.5], 2.0),
    ("Fract", &[-1.25], 0.75),
    ("FSign", &[-7.0], -1.0),
    ("FSign", &[0.0], 0.0),
    ("InverseSqrt", &[4.0], 0.5),
    ("Degrees", &[std::f32::consts::PI], 180.0),
    ("Radians", &[180.0], std::f32::consts::PI),
    ("FMix", &[2.0, 4.0, 0.25], 2.5),
    ("Step", &[1.0, 0.5], 0.0),
    ("Step", &[1.0, 1.0], 1.0),
    ("SmoothStep", &[0.0, 4.0, 1.0], 0.15625),
    ("Length", &[-3.0], 3.0),
];

/// Functions and operands for which they are undefined.
const UNDEFINED: &[(&str, &[f32])] = &[
    ("Log", &[0.0]),
    ("Log2", &[-1.0]),
    ("Pow", &[-2.0, 2.0]),
    ("Pow", &[0.0, 0.0]),
    ("Asin", &[1.5]),
    ("Acos", &[-1.5]),
    ("Acosh", &[0.5]),
    ("Atanh", &[1.0]),
    ("Atan2", &[0.0, 0.0]),
    ("InverseSqrt", &[0.0]),
    ("SmoothStep", &[1.0, 1.0, 0.0]),
    ("SmoothStep", &[2.0, 1.0, 0.0]),
];

/// `%r` is stored, whose bits are the value.
fn call(function: &str, operands: &[f32], want: Want) -> Sample {
    let constants: String = (0..)
        .zip(operands)
        .map(|(n, operand)| format!("%k{n} = OpConstant %f {operand:?}\n"))
        .collect();
    let ids: String = (0..operands.len()).map(|n| format!(" %k{n}")).collect();
    let text =
        format!("%a = OpExtInst %f %glsl {function}{ids}\n%r = OpBitcast %u %a\nOpStore %mine %r");
    Sample { globals: constants.leak(), ..body(function.to_owned().leak(), text.leak(), want) }
}

const DEFINED: Want = Fails(Rule::Store, "defined");

pub(super) fn samples() -> Vec<Sample> {
    let mut samples = vectors();
    samples.extend(pairs());
    for (function, operands, value) in VALUES {
        samples.push(call(function, operands, Words(vec![value.to_bits()].leak())));
    }
    for (function, operands) in UNDEFINED {
        samples.push(call(function, operands, DEFINED));
    }
    samples
}

/// Vectors of numbers, and a store of their components' bits in the words of the buffer.
const VECTORS: &str = "
%2f = OpTypeVector %f 2
%3f = OpTypeVector %f 3
%4f = OpTypeVector %f 4
%f0 = OpConstant %f 0
%f1 = OpConstant %f 1
%f2 = OpConstant %f 2
%f3 = OpConstant %f 3
%f4 = OpConstant %f 4
%half = OpConstant %f 0.5
%negative = OpConstant %f -1
%large = OpConstant %f 7
%34 = OpConstantComposite %2f %f3 %f4
%down = OpConstantComposite %2f %f1 %negative
%up = OpConstantComposite %2f %f0 %f1
%123 = OpConstantComposite %3f %f1 %f2 %f3
%432 = OpConstantComposite %3f %f4 %f3 %f2
%parts = OpConstantComposite %4f %f1 %f0 %large %negative
%signed = OpConstantComposite %4f %f1 %half %f0 %negative
%halves = OpConstantComposite %2f %f1 %f2
%sides = OpConstantComposite %2f %half %negative
%packed = OpConstant %u 2155905279
%bytes = OpConstant %u 0xff0203fe
%two_halves = OpConstant %u 0xc0003c00
";

/// `%r` is a number, and what is stored are its bits.
fn number(name: &'static str, text: &str, value: f32) -> Sample {
    let text = format!("{text}\n%bits = OpBitcast %u %r\nOpStore %mine %bits");
    Sample { globals: VECTORS, ..body(name, text.leak(), Words(vec![value.to_bits()].leak())) }
}

/// The two components of `%v`, whose bits are added: they tell the values apart.
fn two(name: &'static str, text: &str, [x, y]: [f32; 2]) -> Sample {
    let text = format!(
        "{text}\n%vx = OpCompositeExtract %f %v 0\n%vy = OpCompositeExtract %f %v 1
        %bx = OpBitcast %u %vx\n%by = OpBitcast %u %vy
        %even = OpIEqual %bool %local %0\n%r = OpSelect %u %even %bx %by\nOpStore %mine %r"
    );
    let want = Words(vec![x.to_bits(), y.to_bits()].leak());
    Sample { globals: VECTORS, ..body(name, text.leak(), want) }
}

/// `%r` is an integer.
fn integer(name: &'static str, text: &str, want: Want) -> Sample {
    let text = format!("{text}\nOpStore %mine %r");
    Sample { globals: VECTORS, ..body(name, text.leak(), want) }
}

fn vectors() -> Vec<Sample> {
    vec![
        number("a dot product", "%r = OpDot %f %34 %34", 25.0),
        number("a length", "%r = OpExtInst %f %glsl Length %34", 5.0),
        number("a distance", "%r = OpExtInst %f %glsl Distance %34 %34", 0.0),
        two("a vector of length 1", "%v = OpExtInst %2f %glsl Normalize %34", [0.6, 0.8]),
        two("a reflection", "%v = OpExtInst %2f %glsl Reflect %down %up", [1.0, 1.0]),
        two(
            "a vector that is turned",
            "%v = OpExtInst %2f %glsl FaceForward %up %down %up",
            [0.0, 1.0],
        ),
        two(
            "a vector that is turned round",
            "%v = OpExtInst %2f %glsl FaceForward %up %up %up",
            [-0.0, -1.0],
        ),
        two("a refraction", "%v = OpExtInst %2f %glsl Refract %down %up %f1", [1.0, -1.0]),
        two(
            "a total reflection",
            "%flat = OpExtInst %2f %glsl Normalize %halves\n%v = OpExtInst %2f %glsl Refract %flat %down %f4",
            [0.0, 0.0],
        ),
        two(
            "a cross product",
            "%w = OpExtInst %3f %glsl Cross %123 %432\n%v = OpVectorShuffle %2f %w %w 1 2",
            [10.0, -5.0],
        ),
        two("a vector times a number", "%v = OpVectorTimesScalar %2f %34 %half", [1.5, 2.0]),
        two("a function of a vector", "%v = OpExtInst %2f %glsl Exp2 %34", [8.0, 16.0]),
        number("a modulus of a divisor", "%r = OpFMod %f %f1 %negative", 0.0),
        number("a modulus of a negative", "%r = OpFMod %f %negative %f3", 2.0),
        number("a remainder of a negative", "%r = OpFRem %f %negative %f3", -1.0),
        number("a product of 2 with a power", "%r = OpExtInst %f %glsl Ldexp %f3 %i7", 384.0),
        Sample {
            globals: "%f3 = OpConstant %f 3\n%i128 = OpConstant %i 128",
            ..body(
                "a product of 2 that is too large",
                "%a = OpExtInst %f %glsl Ldexp %f3 %i128\n%r = OpBitcast %u %a\nOpStore %mine %r",
                DEFINED,
            )
        },
        Sample {
            globals: "%third = OpConstant %f 0.33333334\n%small = OpConstant %f 0.00001",
            ..body(
                "what 16 bits keep",
                "%a = OpQuantizeToF16 %f %third\n%b = OpQuantizeToF16 %f %small\n%c = OpFAdd %f %a %b\n%r = OpBitcast %u %c\nOpStore %mine %r",
                Words(vec![0.333_251_95f32.to_bits()].leak()),
            )
        },
        integer("halves", "%r = OpExtInst %u %glsl PackHalf2x16 %halves", Words(&[1_073_757_184])),
        integer(
            "numbers of 8 bits",
            "%r = OpExtInst %u %glsl PackUnorm4x8 %parts",
            Words(&[0x00ff_00ff]),
        ),
        integer(
            "signed numbers of 8 bits",
            "%r = OpExtInst %u %glsl PackSnorm4x8 %signed",
            Words(&[0x8100_407f]),
        ),
        integer(
            "numbers of 16 bits",
            "%r = OpExtInst %u %glsl PackUnorm2x16 %sides",
            Words(&[0x8000]),
        ),
        integer(
            "signed numbers of 16 bits",
            "%r = OpExtInst %u %glsl PackSnorm2x16 %sides",
            Words(&[0x8001_4000]),
        ),
        two("halves again", "%v = OpExtInst %2f %glsl UnpackHalf2x16 %two_halves", [1.0, -2.0]),
        two(
            "numbers of 8 bits again",
            "%w = OpExtInst %4f %glsl UnpackUnorm4x8 %packed\n%v = OpVectorShuffle %2f %w %w 0 3",
            [1.0, 128.0 / 255.0],
        ),
        two(
            "signed numbers of 8 bits again",
            "%w = OpExtInst %4f %glsl UnpackSnorm4x8 %packed\n%v = OpVectorShuffle %2f %w %w 0 3",
            [-1.0 / 127.0, -1.0],
        ),
        two(
            "numbers of 16 bits again",
            "%v = OpExtInst %2f %glsl UnpackUnorm2x16 %two_halves",
            [15360.0 / 65535.0, 49152.0 / 65535.0],
        ),
        two(
            "signed numbers of 16 bits again",
            "%v = OpExtInst %2f %glsl UnpackSnorm2x16 %two_halves",
            [15360.0 / 32767.0, -16384.0 / 32767.0],
        ),
        integer(
            "products of bytes",
            "%r = OpUDot %u %bytes %bytes",
            Words(&[254 * 254 + 9 + 4 + 255 * 255]),
        ),
        integer(
            "products of signed bytes",
            "%r = OpSDot %u %bytes %bytes",
            Words(&[4 + 9 + 4 + 1]),
        ),
        integer(
            "products of bytes of which one is signed",
            "%r = OpSUDot %u %bytes %bytes",
            Words(&[(-508i32 + 9 + 4 - 255) as u32]),
        ),
        integer(
            "products of integers",
            "%a = OpCompositeConstruct %v2 %x %2\n%r = OpUDot %u %a %a",
            Words(&[104, 125]),
        ),
        integer(
            "a packed vector of another size",
            "%r = OpExtInst %u %glsl PackHalf2x16 %123",
            Fails(Rule::Types, "type"),
        ),
        integer("vectors of two sizes", "%r = OpDot %f %34 %123", Fails(Rule::Types, "type")),
        integer(
            "what interpolates",
            "%r = OpExtInst %f %glsl InterpolateAtCentroid %f1",
            Refused("InterpolateAtCentroid"),
        ),
    ]
}

/// Structures of two.
const PAIRS: &str = "
%two = OpTypeStruct %u %u
%same = OpTypeStruct %u %u
%signed_two = OpTypeStruct %i %i
%real_two = OpTypeStruct %f %f
%split = OpTypeStruct %f %i
%f_i = OpTypePointer Function %i
%f_f = OpTypePointer Function %f
%f0 = OpConstant %f 0
%number = OpConstant %f -2.75
%endless = OpConstant %f inf
%most = OpConstant %u 0xffffffff
";

/// Both parts of `%p`, by the number in the group.
fn pair(name: &'static str, ty: &str, text: &str, want: [u32; 2]) -> Sample {
    let text = format!(
        "{text}\n%p0 = OpCompositeExtract %{ty} %p 0\n%p1 = OpCompositeExtract %{ty} %p 1
        %c0 = OpBitcast %u %p0\n%c1 = OpBitcast %u %p1
        %even = OpIEqual %bool %local %0\n%r = OpSelect %u %even %c0 %c1\nOpStore %mine %r"
    );
    Sample { globals: PAIRS, ..body(name, text.leak(), Words(want.to_vec().leak())) }
}

fn pairs() -> Vec<Sample> {
    let parts = |x: f32, y: f32| [x.to_bits(), y.to_bits()];
    let pairs = vec![
        pair("a carry", "u", "%p = OpIAddCarry %two %most %7", [6, 1]),
        pair("a borrow", "u", "%p = OpISubBorrow %two %7 %most", [8, 1]),
        pair("a product of 64 bits", "u", "%p = OpUMulExtended %two %most %7", [-7i32 as u32, 6]),
        pair(
            "a signed product",
            "i",
            "%p = OpSMulExtended %signed_two %minus %i7",
            [-7i32 as u32, u32::MAX],
        ),
        pair(
            "before and behind the point",
            "f",
            "%p = OpExtInst %real_two %glsl ModfStruct %number",
            parts(-0.75, -2.0),
        ),
        pair(
            "the same structure by another name",
            "u",
            "%q = OpIAddCarry %two %most %7\n%p = OpCopyLogical %same %q",
            [6, 1],
        ),
    ];
    let others = [
        (
            "significand and exponent",
            "",
            "%p = OpExtInst %split %glsl FrexpStruct %number\n%a = OpCompositeExtract %f %p 0\n%e = OpCompositeExtract %i %p 1\n%c = OpExtInst %f %glsl Ldexp %a %e\n%b = OpBitcast %u %e\n%same_again = OpFOrdEqual %bool %c %number\n%r = OpSelect %u %same_again %b %x\nOpStore %mine %r",
            Words(&[2, 2]),
        ),
        (
            "the exponent of infinity",
            "",
            "%p = OpExtInst %split %glsl FrexpStruct %endless\n%e = OpCompositeExtract %i %p 1\n%r = OpBitcast %u %e\nOpStore %mine %r",
            DEFINED,
        ),
        (
            "an exponent through a pointer",
            "%v = OpVariable %f_i Function %i0",
            "%a = OpExtInst %f %glsl Frexp %number %v\n%e = OpLoad %i %v\n%r = OpBitcast %u %e\nOpStore %mine %r",
            Words(&[2, 2]),
        ),
        (
            "what is before the point, through a pointer",
            "%v = OpVariable %f_f Function %f0",
            "%a = OpExtInst %f %glsl Modf %number %v\n%b = OpLoad %f %v\n%r = OpBitcast %u %b\nOpStore %mine %r",
            Words(vec![(-2f32).to_bits()].leak()),
        ),
        (
            "memory to memory",
            "%v = OpVariable %fu Function %7",
            "%first = OpIEqual %bool %me %0\nOpCopyMemory %v %mine\n%r = OpLoad %u %v\n%s = OpIAdd %u %r %1\nOpStore %mine %s",
            Words(&[11, 12, 13, 14]),
        ),
        (
            "types that differ",
            "",
            "%q = OpIAddCarry %two %most %7\n%p = OpCopyLogical %split %q",
            Fails(Rule::Types, "type"),
        ),
    ];
    let others = others.map(|(name, variables, text, want)| Sample {
        globals: PAIRS,
        variables,
        ..body(name, text, want)
    });
    pairs.into_iter().chain(others).collect()
}
