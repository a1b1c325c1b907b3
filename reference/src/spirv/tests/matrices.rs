//! Matrices: products and functions, and how they lie in memory.

use super::{Fails, LAUNCH, Refused, Sample, Want, Words, assemble, body};
use crate::kit::derivation::Recorder;
use crate::kit::schedule::Order;
use crate::spirv::eval::Executor;
use crate::spirv::parse::load;
use crate::spirv::rules::Rule;
use crate::spirv::values::{Buffer, Launch};

/// Matrices and vectors, and one of the group.
const MATRICES: &str = "
%2f = OpTypeVector %f 2
%3f = OpTypeVector %f 3
%4f = OpTypeVector %f 4
%m22 = OpTypeMatrix %2f 2
%m32 = OpTypeMatrix %2f 3
%m23 = OpTypeMatrix %3f 2
%m33 = OpTypeMatrix %3f 3
%m44 = OpTypeMatrix %4f 4
%w_m22 = OpTypePointer Workgroup %m22
%w_2f = OpTypePointer Workgroup %2f
%w_f = OpTypePointer Workgroup %f
%shared = OpVariable %w_m22 Workgroup
%f0 = OpConstant %f 0
%f1 = OpConstant %f 1
%f2 = OpConstant %f 2
%f3 = OpConstant %f 3
%f4 = OpConstant %f 4
%12 = OpConstantComposite %2f %f1 %f2
%34 = OpConstantComposite %2f %f3 %f4
%11 = OpConstantComposite %2f %f1 %f1
%00 = OpConstantComposite %2f %f0 %f0
%312 = OpConstantComposite %3f %f3 %f1 %f2
%square = OpConstantComposite %m22 %12 %34
%wide = OpConstantComposite %m32 %12 %34 %11
%singular = OpConstantComposite %m22 %12 %12
%none = OpConstantNull %m22
%c0 = OpConstantComposite %4f %f2 %f0 %f0 %f1
%c1 = OpConstantComposite %4f %f0 %f3 %f0 %f0
%c2 = OpConstantComposite %4f %f0 %f0 %f4 %f0
%c3 = OpConstantComposite %4f %f1 %f0 %f0 %f1
%big = OpConstantComposite %m44 %c0 %c1 %c2 %c3
";

/// The components of `%v` are stored by the invocations of a group.
fn two(name: &'static str, text: &str, [x, y]: [f32; 2]) -> Sample {
    let text = format!(
        "{text}\n%chosen = OpVectorExtractDynamic %f %v %local\n%r = OpBitcast %u %chosen\nOpStore %mine %r"
    );
    let want = Words(vec![x.to_bits(), y.to_bits()].leak());
    Sample { globals: MATRICES, ..body(name, text.leak(), want) }
}

fn other(name: &'static str, text: &'static str, want: Want) -> Sample {
    Sample { globals: MATRICES, ..body(name, text, want) }
}

pub(super) fn samples() -> Vec<Sample> {
    vec![
        two("a matrix times a vector", "%v = OpMatrixTimesVector %2f %wide %312", [8.0, 12.0]),
        two(
            "a vector times a matrix",
            "%w = OpVectorTimesMatrix %3f %12 %wide\n%v = OpVectorShuffle %2f %w %w 1 2",
            [11.0, 3.0],
        ),
        two(
            "a matrix times a matrix",
            "%m = OpMatrixTimesMatrix %m32 %square %wide\n%v = OpCompositeExtract %2f %m 1",
            [15.0, 22.0],
        ),
        two(
            "a matrix times a number",
            "%m = OpMatrixTimesScalar %m32 %wide %f3\n%v = OpCompositeExtract %2f %m 1",
            [9.0, 12.0],
        ),
        two(
            "a transposed matrix",
            "%m = OpTranspose %m23 %wide\n%w = OpCompositeExtract %3f %m 1\n%v = OpVectorShuffle %2f %w %w 0 1",
            [2.0, 4.0],
        ),
        two(
            "an outer product",
            "%m = OpOuterProduct %m32 %34 %312\n%v = OpCompositeExtract %2f %m 2",
            [6.0, 8.0],
        ),
        two(
            "a determinant",
            "%d = OpExtInst %f %glsl Determinant %square\n%v = OpCompositeConstruct %2f %d %f1",
            [-2.0, 1.0],
        ),
        two(
            "a determinant of four columns",
            "%d = OpExtInst %f %glsl Determinant %big\n%v = OpCompositeConstruct %2f %d %f1",
            [12.0, 1.0],
        ),
        two(
            "an inverse",
            "%m = OpExtInst %m22 %glsl MatrixInverse %square\n%v = OpCompositeExtract %2f %m 1",
            [1.5, -0.5],
        ),
        two(
            "an inverse of four columns",
            "%m = OpExtInst %m44 %glsl MatrixInverse %big\n%w = OpCompositeExtract %4f %m 3\n%v = OpVectorShuffle %2f %w %w 0 3",
            [-1.0, 2.0],
        ),
        two(
            "a matrix of columns",
            "%m = OpCompositeConstruct %m22 %34 %12\n%n = OpCompositeInsert %m22 %f0 %m 1 0\n%v = OpCompositeExtract %2f %n 1",
            [0.0, 2.0],
        ),
        two(
            "a matrix that is chosen",
            "%m = OpSelect %m22 %false %none %square\n%v = OpCompositeExtract %2f %m 1",
            [3.0, 4.0],
        ),
        // Two invocations, each a column: no race.
        two(
            "a matrix of the group",
            "%k = OpIAdd %u %local %1
            %a = OpConvertUToF %f %k
            %b = OpFMul %f %a %f2
            %column = OpCompositeConstruct %2f %b %b
            %p = OpAccessChain %w_2f %shared %local
            OpStore %p %column
            OpControlBarrier %2 %2 %264
            %m = OpLoad %m22 %shared
            %v = OpMatrixTimesVector %2f %m %12",
            [10.0, 10.0],
        ),
        // To store a component is a write of its column.
        other(
            "two components of a column",
            "%p = OpAccessChain %w_f %shared %1 %local\nOpStore %p %f1",
            Fails(Rule::Race, "race"),
        ),
        two(
            "components of two columns",
            "%p = OpAccessChain %w_f %shared %local %local\nOpStore %p %f1\n%a = OpLoad %f %p\n%v = OpCompositeConstruct %2f %a %a",
            [1.0, 1.0],
        ),
        other(
            "the inverse of a matrix that has none",
            "%m = OpExtInst %m22 %glsl MatrixInverse %singular\n%a = OpCompositeExtract %f %m 1 0\n%r = OpBitcast %u %a\nOpStore %mine %r",
            Fails(Rule::Store, "defined"),
        ),
        other(
            "a column that is not there",
            "%p = OpAccessChain %w_2f %shared %2\nOpStore %p %12",
            Fails(Rule::AccessChain, "bounds"),
        ),
        other(
            "matrices that do not fit",
            "%m = OpMatrixTimesMatrix %m32 %wide %wide",
            Fails(Rule::Types, "type"),
        ),
        other(
            "a vector that does not fit",
            "%v = OpMatrixTimesVector %2f %wide %12",
            Fails(Rule::Types, "type"),
        ),
        other(
            "a matrix of integers times a number",
            "%v = OpMatrixTimesScalar %v2 %12 %f1",
            Fails(Rule::Types, "type"),
        ),
        Sample {
            globals: "%m = OpTypeMatrix %v2 2",
            ..body("a matrix of integers", "", Fails(Rule::Types, "type"))
        },
        Sample {
            globals: "OpMemberDecorate %block_m 0 Offset 0
            OpDecorate %bare Binding 0
            %2f = OpTypeVector %f 2
            %m22 = OpTypeMatrix %2f 2
            %block_m = OpTypeStruct %m22
            %p_block_m = OpTypePointer StorageBuffer %block_m
            %p_m22 = OpTypePointer StorageBuffer %m22
            %bare = OpVariable %p_block_m StorageBuffer",
            ..body(
                "a matrix that is not laid out",
                "%p = OpAccessChain %p_m22 %bare %0\n%m = OpLoad %m22 %p",
                Refused("not laid out"),
            )
        },
    ]
}

/// A buffer with `a` by columns, `b` by rows, `p` by columns and `q` by rows, and an array of one matrix.
const LAID: &str = r#"
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpDecorate %array ArrayStride 16
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 0 ColMajor
OpMemberDecorate %block 0 MatrixStride 16
OpMemberDecorate %block 1 Offset 32
OpMemberDecorate %block 1 RowMajor
OpMemberDecorate %block 1 MatrixStride 16
OpMemberDecorate %block 2 Offset 64
OpMemberDecorate %block 2 ColMajor
OpMemberDecorate %block 2 MatrixStride 8
OpMemberDecorate %block 3 Offset 80
OpMemberDecorate %block 3 RowMajor
OpMemberDecorate %block 3 MatrixStride 8
OpMemberDecorate %block 4 Offset 96
OpMemberDecorate %block 4 RowMajor
OpMemberDecorate %block 4 MatrixStride 8
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u = OpTypeInt 32 0
%0 = OpConstant %u 0
%1 = OpConstant %u 1
%2 = OpConstant %u 2
%3 = OpConstant %u 3
%4 = OpConstant %u 4
%f = OpTypeFloat 32
%v = OpTypeVector %f 2
%m = OpTypeMatrix %v 2
%array = OpTypeArray %m %1
%block = OpTypeStruct %m %m %m %m %array
%p_block = OpTypePointer StorageBuffer %block
%p_m = OpTypePointer StorageBuffer %m
%p_v = OpTypePointer StorageBuffer %v
%p_f = OpTypePointer StorageBuffer %f
%p_array = OpTypePointer StorageBuffer %array
%data = OpVariable %p_block StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%pa = OpAccessChain %p_m %data %0
%pb = OpAccessChain %p_m %data %1
%a = OpLoad %m %pa
%b = OpLoad %m %pb
%ab = OpMatrixTimesMatrix %m %a %b
%pp = OpAccessChain %p_m %data %2
OpStore %pp %ab
%pq = OpAccessChain %p_m %data %3
OpStore %pq %ab
%pb_again = OpCopyObject %p_m %pb
%pb1 = OpAccessChain %p_v %pb_again %1
%b1 = OpLoad %v %pb1
%pq0 = OpAccessChain %p_v %pq %0
OpStore %pq0 %b1
%pb10 = OpAccessChain %p_f %pb1 %0
%b10 = OpLoad %f %pb10
%pr = OpAccessChain %p_array %data %4
%pr01 = OpAccessChain %p_f %pr %0 %0 %1
OpStore %pr01 %b10
OpReturn
OpFunctionEnd
"#;

#[test]
fn matrices_lie_as_they_are_laid_out() {
    let mut words = vec![0; 28];
    for (at, k) in
        [(0, 1.0), (1, 2.0), (4, 3.0), (5, 4.0), (8, 5.0), (9, 6.0), (12, 7.0), (13, 8.0)]
    {
        words[at] = f32::to_bits(k);
    }
    let recorder = &mut Recorder::counting();
    let module = load(&assemble(LAID), "main", recorder).expect("it is a module");
    let mut buffers = [Buffer { set: 0, binding: 0, words }];
    let launch = Launch { groups: [1, 1, 1], fuel: 1000, subgroup: 1, ..LAUNCH };
    let schedule = &mut *Order::InOrder.schedule();
    let report = Executor::new().launch(&module, &mut buffers, &launch, schedule, recorder);
    assert_eq!(report.findings, []);
    let stored: Vec<f32> =
        buffers[0].words[16..].iter().map(|bits| f32::from_bits(*bits)).collect();
    assert_eq!(stored, [26.0, 38.0, 30.0, 44.0, 6.0, 30.0, 8.0, 44.0, 0.0, 0.0, 6.0, 0.0]);
}
