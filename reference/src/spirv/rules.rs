//! The roll of SPIR-V: sections and instructions of the SPIR-V and Vulkan specifications, with the premises
//! that a module and a run have to meet. A failed premise of arithmetic makes the result undefined. Any other
//! ends the run, since nothing after it has a meaning.

crate::roll! {
    /// Rules of SPIR-V.
    pub enum Rule in "spirv" {
        // Structure: what a module must be, whatever runs.
        Physical = "Physical Layout", "SPIR-V 2.3", ["words"];
        Ids = "Universal Validation Rules: ids", "SPIR-V 2.16.1", ["defined", "once"];
        Dominance = "Universal Validation Rules: dominance", "SPIR-V 2.16.1", ["dominates"];
        Types = "Universal Validation Rules: types", "SPIR-V 2.16.1", ["type"];
        Blocks = "Function Body: blocks", "SPIR-V 2.4", ["terminator", "label"];
        Continue = "Structured Control-flow Constructs: continue", "SPIR-V 2.11.2", ["contained"];
        Calls = "Universal Validation Rules: calls", "SPIR-V 2.16.1", ["recursion"];
        // Only variables that others see from outside are laid out.
        Interface = "Shader Interfaces: explicit layout", "Vulkan, VUID-StandaloneSpirv-None-10684", ["laid out"];
        // What a pipeline gives for a constant.
        Specialize = "OpSpecConstant", "SPIR-V 3.49.7; Vulkan, Specialization Constants", ["size"];
        // What is asked of a module that others made.
        Sections = "Logical Layout of a Module", "SPIR-V 2.4", ["order", "memory model"];
        Capability = "Capability", "SPIR-V 3.31", ["declared"];
        TypeOnce = "Types and Variables: types once", "SPIR-V 2.8", ["once"];
        TypeSize = "OpTypeVector, OpTypeArray", "SPIR-V 3.49.6", ["components", "length"];
        Constant = "OpConstant", "SPIR-V 3.49.7", ["scalar"];
        Declared = "OpVariable: storage class", "SPIR-V 2.4, 3.49.8", ["class", "function", "first"];
        ReadOnly = "Storage Class: read only", "SPIR-V 3.7", ["stored"];
        BuiltIn = "Built-In Variables", "Vulkan, Shader Interfaces", ["class", "type"];
        EntryPoint = "OpEntryPoint", "SPIR-V 2.16.1, 3.49.5", ["name", "called", "variable", "interface"];
        EntryType = "OpEntryPoint: type", "Vulkan, VUID-StandaloneSpirv-None-04633", ["parameters", "void"];
        EntryMode = "OpExecutionMode", "SPIR-V 3.49.5", ["entry point"];
        LocalSize = "LocalSize", "Vulkan, VUID-StandaloneSpirv-None-10685", ["size"];
        Decorated = "Decorations: once", "SPIR-V 3.49.3", ["once"];
        Resource = "Shader Resource Interface", "Vulkan, VUID-StandaloneSpirv-UniformConstant-06677", ["set", "binding", "block"];
        Explicit = "Offset and Stride Assignment", "Vulkan, Shader Interfaces", ["stride", "apart", "offset", "aligned", "overlap"];
        RuntimeArray = "OpTypeRuntimeArray", "Vulkan, VUID-StandaloneSpirv-OpTypeRuntimeArray-04680", ["last", "block"];
        Structured = "Structured Control Flow", "SPIR-V 2.11.2", ["merge", "entry", "shared", "header", "back edge", "selection"];
        AtomicMemory = "Atomic Instructions: memory", "SPIR-V 3.49.18; Vulkan, VUID-StandaloneSpirv-None-04686", ["class", "type"];
        Semantics = "Memory Semantics", "Vulkan, VUID-StandaloneSpirv-MemorySemantics-10865", ["order"];
        // Memory.
        Variable = "OpVariable", "SPIR-V 3.49.8", [];
        Load = "OpLoad", "SPIR-V 3.49.8", ["written", "inside"];
        Store = "OpStore", "SPIR-V 3.49.8", ["defined", "inside"];
        AccessChain = "OpAccessChain", "SPIR-V 3.49.8", ["defined", "bounds", "length"];
        ArrayLength = "OpArrayLength", "SPIR-V 3.49.8", [];
        Race = "Memory Model: data race", "Vulkan, Memory Model", ["race"];
        // Composites.
        Composite = "Composite Instructions", "SPIR-V 3.49.12", [];
        Dynamic = "OpVectorExtractDynamic", "SPIR-V 3.49.12", ["bounds"];
        // Arithmetic: a failed premise makes the result undefined.
        Arithmetic = "Arithmetic Instructions", "SPIR-V 3.49.13", [];
        UDiv = "OpUDiv", "SPIR-V 3.49.13", ["divisor"];
        SDiv = "OpSDiv", "SPIR-V 3.49.13", ["divisor", "overflow"];
        UMod = "OpUMod", "SPIR-V 3.49.13", ["divisor"];
        SRem = "OpSRem", "SPIR-V 3.49.13", ["divisor", "negative"];
        SMod = "OpSMod", "SPIR-V 3.49.13", ["divisor", "negative"];
        Bits = "Bit Instructions", "SPIR-V 3.49.14", [];
        ShiftLeft = "OpShiftLeftLogical", "SPIR-V 3.49.14", ["width"];
        ShiftRight = "OpShiftRightLogical", "SPIR-V 3.49.14", ["width"];
        ShiftArithmetic = "OpShiftRightArithmetic", "SPIR-V 3.49.14", ["width"];
        BitField = "OpBitFieldUExtract", "SPIR-V 3.49.14", ["width"];
        Compare = "Relational and Logical Instructions", "SPIR-V 3.49.15", [];
        Convert = "Conversion Instructions", "SPIR-V 3.49.11", [];
        FloatToInt = "OpConvertFToS", "SPIR-V 3.49.11", ["range"];
        Extended = "OpExtInst GLSL.std.450", "GLSL.std.450 2", [];
        Domain = "GLSL.std.450 Log, Pow, Asin and others", "GLSL.std.450 2", ["domain", "finite", "order", "origin"];
        Clamp = "GLSL.std.450 Clamp", "GLSL.std.450 2", ["order"];
        Undef = "OpUndef", "SPIR-V 3.49.1", [];
        // Control flow.
        Phi = "OpPhi", "SPIR-V 3.49.17", [];
        Branch = "OpBranchConditional", "SPIR-V 3.49.17", ["defined"];
        Switch = "OpSwitch", "SPIR-V 3.49.17", ["defined"];
        Loop = "OpLoopMerge", "SPIR-V 3.49.17", ["fuel"];
        Unreachable = "OpUnreachable", "SPIR-V 3.49.17", ["reached"];
        Call = "OpFunctionCall", "SPIR-V 3.49.9", [];
        Return = "OpReturn", "SPIR-V 3.49.17", [];
        // Other invocations.
        Atomic = "Atomic Instructions", "SPIR-V 3.49.18", ["defined", "inside"];
        Barrier = "OpControlBarrier", "SPIR-V 3.49.20", ["all"];
        // Of a subgroup: what is taken of a lane that is not there is undefined.
        NonUniform = "Non-Uniform Instructions", "SPIR-V 3.49.24", [];
        Broadcast = "OpGroupNonUniformBroadcast", "SPIR-V 3.49.24", ["active"];
        Shuffle = "OpGroupNonUniformShuffle", "SPIR-V 3.49.24", ["active"];
    }
}
