//! Numbers of 8 and 16 bits, in registers and in memory.

use super::{Fails, Refused, Sample, Want, Words, body};
use crate::spirv::rules::Rule;

const NARROW: &str = "
OpCapability Float16
OpCapability Int16
OpCapability Int8
%h = OpTypeFloat 16
%2h = OpTypeVector %h 2
%4h = OpTypeVector %h 4
%m22h = OpTypeMatrix %2h 2
%i8 = OpTypeInt 8 1
%u8 = OpTypeInt 8 0
%i16 = OpTypeInt 16 1
%u16 = OpTypeInt 16 0
%4u8 = OpTypeVector %u8 4
%u64 = OpTypeInt 64 0
%two16 = OpTypeStruct %u16 %u16
%h_two = OpTypeArray %h %2
%w_h_two = OpTypePointer Workgroup %h_two
%w_h = OpTypePointer Workgroup %h
%halves = OpVariable %w_h_two Workgroup
%h1 = OpConstant %h 1
%h3 = OpConstant %h 3
%h15 = OpConstant %h 1.5
%hmost = OpConstant %h 65504
%hstep = OpConstant %h 0.00048828125
%f200 = OpConstant %f 200
%third = OpConstant %f 0.33333334
%s7 = OpConstant %i16 -7
%s2 = OpConstant %i16 2
%least8 = OpConstant %i8 -128
%minus8 = OpConstant %i8 -1
%u200 = OpConstant %u8 200
%u100 = OpConstant %u8 100
%w40000 = OpConstant %u16 40000
%w3 = OpConstant %u16 3
%f2f = OpConstant %f 2
%2h13 = OpConstantComposite %2h %h1 %h3
%mh = OpConstantComposite %m22h %2h13 %2h13
";

/// `%r` is stored.
fn stores(name: &'static str, text: &str, want: Want) -> Sample {
    let text = format!("{text}\nOpStore %mine %r");
    Sample { globals: NARROW, ..body(name, text.leak(), want) }
}

/// The bits of the half `%a` are stored.
fn half(name: &'static str, text: &str, bits: &'static [u32]) -> Sample {
    stores(name, &format!("{text}\n%b = OpBitcast %u16 %a\n%r = OpUConvert %u %b"), Words(bits))
}

/// The bits of the float `%a` are stored.
fn single(name: &'static str, text: &str, value: f32) -> Sample {
    let want = Words(vec![value.to_bits()].leak());
    stores(name, &format!("{text}\n%r = OpBitcast %u %a"), want)
}

/// The integer `%a`, with its sign.
fn integer(name: &'static str, text: &str, value: i32) -> Sample {
    let want = Words(vec![value as u32].leak());
    stores(name, &format!("{text}\n%r = OpSConvert %u %a"), want)
}

/// The same without one.
fn unsigned(name: &'static str, text: &str, value: u32) -> Sample {
    stores(name, &format!("{text}\n%r = OpUConvert %u %a"), Words(vec![value].leak()))
}

const UNDEFINED: Want = Fails(Rule::Store, "defined");

pub(super) fn samples() -> Vec<Sample> {
    let mut samples = halves();
    samples.extend(integers());
    samples.extend(buffers());
    samples.extend(vec![
        unsigned("halves in a word", "%c = OpBitcast %u %2h13\n%a = OpUConvert %u64 %c", 0x4200_3c00),
        half("a half of a word", "%c = OpBitcast %2h %264\n%a = OpCompositeExtract %h %c 0", &[264]),
        unsigned("bytes of a word", "%c = OpBitcast %4u8 %264\n%a = OpCompositeExtract %u8 %c 1", 1),
        unsigned("a word of bytes", "%c = OpCompositeConstruct %4u8 %u200 %u100 %u200 %u100\n%d = OpBitcast %u %c\n%a = OpUConvert %u64 %d", 0x64c8_64c8),
        unsigned("words of 64 bits", "%c = OpCompositeConstruct %v2 %7 %1\n%d = OpBitcast %u64 %c\n%a = OpShiftRightLogical %u64 %d %32", 1),
    ]);
    samples
}

fn halves() -> Vec<Sample> {
    vec![
        half("a third in 16 bits", "%a = OpFConvert %h %third", &[0x3555]),
        single("16 bits in 32", "%b = OpFConvert %h %third\n%a = OpFConvert %f %b", 0.333_251_95),
        half("a sum between two halves", "%a = OpFAdd %h %h1 %hstep", &[0x3c00]),
        half(
            "a sum above the middle",
            "%c = OpFMul %h %hstep %h15\n%a = OpFAdd %h %h1 %c",
            &[0x3c01],
        ),
        half("a sum beyond all halves", "%a = OpFAdd %h %hmost %hmost", &[0x7c00]),
        half("a quotient of halves", "%a = OpFDiv %h %h1 %h3", &[0x3555]),
        half("a negative half", "%a = OpFNegate %h %h1", &[0xbc00]),
        half("a function of halves", "%a = OpExtInst %h %glsl Exp2 %h3", &[0x4800]),
        half("the greater half", "%a = OpExtInst %h %glsl FMax %h1 %h3", &[0x4200]),
        half("a half between others", "%a = OpExtInst %h %glsl FClamp %h3 %h1 %h15", &[0x3e00]),
        half("a product and a sum", "%a = OpExtInst %h %glsl Fma %h15 %h15 %hstep", &[0x4080]),
        half("a dot product of halves", "%a = OpDot %h %2h13 %2h13", &[0x4900]),
        half(
            "a matrix of halves",
            "%c = OpMatrixTimesVector %2h %mh %2h13\n%a = OpCompositeExtract %h %c 1",
            &[0x4a00],
        ),
        half("an integer as a half", "%a = OpConvertUToF %h %x", &[0x4900, 0x4980]),
        half("a negative integer as a half", "%a = OpConvertSToF %h %s7", &[0xc700]),
        unsigned("a half as an integer", "%a = OpConvertFToU %u64 %hmost", 65504),
        stores(
            "halves compared",
            "%c = OpFOrdLessThan %bool %h1 %h3\n%r = OpSelect %u %c %1 %2",
            Words(&[1]),
        ),
        stores(
            "the exponent of a half",
            "%p = OpExtInst %h %glsl Ldexp %h1 %i7\n%q = OpFConvert %f %p\n%r = OpConvertFToU %u %q",
            Words(&[128]),
        ),
        // Each invocation its own, read by the other behind a barrier.
        stores(
            "halves of the group",
            "%k = OpConvertUToF %h %local
            %s = OpFAdd %h %k %h15
            %p = OpAccessChain %w_h %halves %local
            OpStore %p %s
            OpControlBarrier %2 %2 %264
            %q = OpAccessChain %w_h %halves %1
            %l = OpLoad %h %q
            %square = OpFMul %h %l %l
            %odd = OpIEqual %bool %local %1
            %a = OpSelect %h %odd %square %l
            %b = OpFConvert %f %a
            %r = OpBitcast %u %b",
            Words(&[0x4020_0000, 0x40c8_0000]),
        ),
    ]
}

fn integers() -> Vec<Sample> {
    vec![
        unsigned("a sum of bytes", "%a = OpIAdd %u8 %u200 %u100", 44),
        integer("a product of signed bytes", "%a = OpIMul %i8 %least8 %minus8", -128),
        integer("a quotient of 16 bits", "%a = OpSDiv %i16 %s7 %s2", -3),
        stores(
            "a quotient that 8 bits do not hold",
            "%a = OpSDiv %i8 %least8 %minus8\n%r = OpSConvert %u %a",
            UNDEFINED,
        ),
        integer("a shift of 16 bits", "%a = OpShiftRightArithmetic %i16 %s7 %1", -4),
        unsigned(
            "bits that leave a number of 16 bits",
            "%a = OpShiftLeftLogical %u16 %w40000 %1",
            14464,
        ),
        stores(
            "a shift by 16",
            "%s16 = OpIMul %u %4 %4\n%a = OpShiftLeftLogical %u16 %w40000 %s16\n%r = OpUConvert %u %a",
            UNDEFINED,
        ),
        unsigned("the complement of a byte", "%a = OpNot %u8 %u200", 55),
        unsigned("the bits of a byte", "%a = OpBitCount %u8 %u200", 3),
        stores(
            "bytes compared",
            "%c = OpSLessThan %bool %minus8 %least8\n%d = OpUGreaterThan %bool %u200 %u100\n%e = OpLogicalOr %bool %c %d\n%r = OpSelect %u %e %1 %2",
            Words(&[1]),
        ),
        integer("a byte with its sign in 16 bits", "%a = OpSConvert %i16 %minus8", -1),
        unsigned("a word in a byte", "%a = OpUConvert %u8 %264", 8),
        single("a signed number of 16 bits as a float", "%a = OpConvertSToF %f %s7", -7.0),
        unsigned("a float in a byte", "%a = OpConvertFToU %u8 %f200", 200),
        stores(
            "a float that a signed byte does not hold",
            "%a = OpConvertFToS %i8 %f200\n%r = OpSConvert %u %a",
            UNDEFINED,
        ),
        unsigned(
            "a product of 16 bits by 16 bits",
            "%p = OpUMulExtended %two16 %w40000 %w3\n%a = OpCompositeExtract %u16 %p 1",
            1,
        ),
        unsigned(
            "an absolute number",
            "%b = OpExtInst %i16 %glsl SAbs %s7\n%a = OpUConvert %u64 %b",
            7,
        ),
        stores(
            "a switch on 16 bits",
            "OpSelectionMerge %done None
            OpSwitch %s7 %other -7 %seven
            %seven = OpLabel
            OpBranch %done
            %other = OpLabel
            OpBranch %done
            %done = OpLabel
            %r = OpPhi %u %1 %seven %2 %other",
            Words(&[1]),
        ),
    ]
}

/// The buffer as halves, pairs of halves and bytes, and with what it has of each; push constants likewise.
const PARTS: &str = "
OpDecorate %a_halves ArrayStride 2
OpDecorate %a_pairs ArrayStride 4
OpDecorate %a_bytes ArrayStride 1
OpDecorate %a_two ArrayStride 2
OpMemberDecorate %b_halves 0 Offset 0
OpMemberDecorate %b_pairs 0 Offset 0
OpMemberDecorate %b_bytes 0 Offset 3
OpMemberDecorate %b_mixed 0 Offset 0
OpMemberDecorate %b_mixed 1 Offset 8
OpMemberDecorate %b_pushed 0 Offset 0
OpMemberDecorate %b_pushed 1 Offset 4
OpMemberDecorate %b_pushed 2 Offset 6
OpMemberDecorate %b_words 0 Offset 2
OpDecorate %v_halves Binding 0
OpDecorate %v_pairs Binding 0
OpDecorate %v_bytes Binding 0
OpDecorate %v_mixed Binding 0
OpDecorate %v_words Binding 0
%u8 = OpTypeInt 8 0
%u16 = OpTypeInt 16 0
%2u16 = OpTypeVector %u16 2
%a_halves = OpTypeRuntimeArray %u16
%a_pairs = OpTypeRuntimeArray %2u16
%a_bytes = OpTypeRuntimeArray %u8
%a_two = OpTypeArray %u16 %2
%b_halves = OpTypeStruct %a_halves
%b_pairs = OpTypeStruct %a_pairs
%b_bytes = OpTypeStruct %a_bytes
%b_mixed = OpTypeStruct %2u16 %u
%b_pushed = OpTypeStruct %a_two %u8 %u16
%b_words = OpTypeStruct %u
%p_halves = OpTypePointer StorageBuffer %b_halves
%p_pairs = OpTypePointer StorageBuffer %b_pairs
%p_bytes = OpTypePointer StorageBuffer %b_bytes
%p_mixed = OpTypePointer StorageBuffer %b_mixed
%p_words = OpTypePointer StorageBuffer %b_words
%p_u16 = OpTypePointer StorageBuffer %u16
%p_u8 = OpTypePointer StorageBuffer %u8
%p_pushed = OpTypePointer PushConstant %b_pushed
%v_halves = OpVariable %p_halves StorageBuffer
%v_pairs = OpVariable %p_pairs StorageBuffer
%v_bytes = OpVariable %p_bytes StorageBuffer
%v_mixed = OpVariable %p_mixed StorageBuffer
%v_words = OpVariable %p_words StorageBuffer
%pushed = OpVariable %p_pushed PushConstant
%8 = OpConstant %u 8
%seven = OpConstant %u16 7
";

fn buffers() -> Vec<Sample> {
    let part = |name, text, want| Sample { globals: PARTS, ..body(name, text, want) };
    vec![
        part(
            "the halves of a word",
            "%k = OpIMul %u %me %2
            %n = OpIAdd %u %k %1
            %low = OpAccessChain %p_u16 %v_halves %0 %k
            %high = OpAccessChain %p_u16 %v_halves %0 %n
            %l = OpLoad %u16 %low
            OpStore %high %l",
            Words(&[0x000a_000a, 0x000b_000b, 0x000c_000c, 0x000d_000d]),
        ),
        part(
            "two invocations, each with a half of a word",
            "%k = OpIMul %u %me %2
            %n = OpISub %u %k %local
            OpControlBarrier %2 %2 %72
            %p = OpAccessChain %p_u16 %v_halves %0 %n
            %v = OpUConvert %u16 %x
            OpStore %p %v",
            Words(&[0x000b_000a, 11, 0x000d_000c, 13]),
        ),
        part(
            "two invocations with the same half of a word",
            "%first = OpISub %u %me %local
            %n = OpIMul %u %first %2
            OpControlBarrier %2 %2 %72
            %p = OpAccessChain %p_u16 %v_halves %0 %n
            OpStore %p %seven",
            Fails(Rule::Race, "race"),
        ),
        part(
            "a half that is not in the buffer",
            "%p = OpAccessChain %p_u16 %v_halves %0 %8\n%l = OpLoad %u16 %p",
            Fails(Rule::AccessChain, "length"),
        ),
        part(
            "a component of a vector of halves",
            "%p = OpAccessChain %p_u16 %v_pairs %0 %me %1\n%v = OpUConvert %u16 %x\nOpStore %p %v",
            Words(&[0x000a_000a, 0x000b_000b, 0x000c_000c, 0x000d_000d]),
        ),
        part(
            "a half at a constant place",
            "%first = OpIEqual %bool %me %0
            OpSelectionMerge %done None
            OpBranchConditional %first %yes %done
            %yes = OpLabel
            %p = OpAccessChain %p_u16 %v_mixed %0 %1
            OpStore %p %seven
            OpBranch %done
            %done = OpLabel",
            Words(&[0x0007_000a, 11, 12, 13]),
        ),
        // The array begins at byte 3: of each word it is the last one.
        part(
            "bytes of words",
            "%k = OpIMul %u %me %4
            %p = OpAccessChain %p_u8 %v_bytes %0 %k
            %v = OpUConvert %u8 %x
            OpStore %p %v",
            Words(&[0x0a00_000a, 0x0b00_000b, 0x0c00_000c, 0x0d00_000d]),
        ),
        part(
            "the length of an array of halves",
            "%n = OpArrayLength %u %v_halves 0\nOpStore %mine %n",
            Words(&[8, 8, 8, 8]),
        ),
        part(
            "the length of an array of bytes",
            "%n = OpArrayLength %u %v_bytes 0\nOpStore %mine %n",
            Words(&[13, 13, 13, 13]),
        ),
        part(
            "a structure of numbers of several widths",
            "%all = OpLoad %b_pushed %pushed
            %half = OpCompositeExtract %u16 %all 0 0
            %byte = OpCompositeExtract %u8 %all 1
            %a = OpUConvert %u %half
            %b = OpUConvert %u %byte
            %c = OpIMul %u %a %8
            %r = OpIAdd %u %b %c
            OpStore %mine %r",
            Words(&[46, 46, 46, 46]),
        ),
        // The word is read by one of them before.
        part(
            "an atomic beside halves",
            "%p = OpAccessChain %pu %v_mixed %1\n%r = OpAtomicIAdd %u %p %1 %72 %1",
            Fails(Rule::Race, "race"),
        ),
        part(
            "a word that begins within another",
            "%p = OpAccessChain %pu %v_words %0\n%r = OpLoad %u %p",
            Refused("not laid out"),
        ),
    ]
}
