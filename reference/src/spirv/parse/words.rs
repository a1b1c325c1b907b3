//! From words to instructions, quickly.
//!
//! The parser of `rspirv` goes through a table of eight hundred instructions for the grammar of each
//! that it meets, twice, and makes a list for each operand; a campaign reads a module for most of its
//! launches. So what the modules of shaders are made of is read here, by the same grammar and into
//! the same instructions. Of anything else, and of words that are wrong, nothing is said: these are
//! the parser's, which knows every operand and says what is wrong.

use rspirv::binary::Consumer;
use rspirv::dr::{Instruction, ModuleHeader, Operand};
use rspirv::grammar::{self, INSTRUCTION_TABLE, OperandKind as Kind, OperandQuantifier as Many};
use rspirv::spirv::{self, Decoration, ExecutionMode, LoopControl, MAGIC_NUMBER, MemoryAccess, Op};
use std::sync::LazyLock;

type Grammar = &'static grammar::Instruction<'static>;

/// The grammar of the instruction with each number, if there is one.
static GRAMMARS: LazyLock<Vec<Option<Grammar>>> = LazyLock::new(|| {
    let mut grammars = Vec::new();
    for grammar in INSTRUCTION_TABLE.iter() {
        let number = grammar.opcode as usize;
        if grammars.len() <= number {
            grammars.resize(number + 1, None);
        }
        grammars[number].get_or_insert(grammar);
    }
    grammars
});

/// Hands the instructions of a module to a consumer that stops for none; `None`, perhaps after some of
/// them, if there is anything among the words that is not read here.
pub(super) fn read(words: &[u32], consumer: &mut impl Consumer) -> Option<()> {
    let [MAGIC_NUMBER, _, _, bound, _, rest @ ..] = words else { return None };
    consumer.consume_header(ModuleHeader::new(*bound));
    let mut numbers = Vec::new();
    let mut rest = rest;
    while let [first, ..] = rest {
        let (instruction, behind) = rest.split_at_checked((first >> 16) as usize)?;
        let [_, left @ ..] = instruction else { return None };
        let grammar = (*GRAMMARS.get((first & 0xffff) as usize)?)?;
        let instruction = Operands { left, numbers: &numbers }.all(grammar)?;
        if numbers.iter().any(|(id, _)| Some(*id) == instruction.result_id) {
            return None;
        }
        let width = match (instruction.class.opcode, &instruction.operands[..]) {
            (Op::TypeInt | Op::TypeFloat, [Operand::LiteralBit32(width), ..]) => Some(*width),
            _ => None,
        };
        numbers.extend(instruction.result_id.zip(width));
        consumer.consume_instruction(instruction);
        rest = behind;
    }
    Some(())
}

/// The operands of an instruction that are not read yet.
struct Operands<'w> {
    left: &'w [u32],
    /// The types of numbers that are declared so far, and their bits.
    numbers: &'w [(u32, u32)],
}

impl Operands<'_> {
    fn word(&mut self) -> Option<u32> {
        let (word, left) = self.left.split_first()?;
        self.left = left;
        Some(*word)
    }

    /// The instruction, if its operands are those of the grammar and no more.
    fn all(mut self, class: Grammar) -> Option<Instruction> {
        let (mut result_type, mut result_id) = (None, None);
        let mut operands = Vec::with_capacity(self.left.len());
        let mut expected = class.operands.iter();
        let mut next = expected.next();
        while let Some(operand) = next {
            if self.left.is_empty() {
                if operand.quantifier == Many::One {
                    return None;
                }
                break;
            }
            match operand.kind {
                Kind::IdResultType => result_type = Some(self.word()?),
                Kind::IdResult => result_id = Some(self.word()?),
                Kind::LiteralContextDependentNumber => operands.push(self.number(result_type?)?),
                kind => self.operand(kind, &mut operands)?,
            }
            if operand.quantifier != Many::ZeroOrMore {
                next = expected.next();
            }
        }
        self.left.is_empty().then_some(Instruction { class, result_type, result_id, operands })
    }

    /// A constant of this type.
    fn number(&mut self, ty: u32) -> Option<Operand> {
        let (_, width) = self.numbers.iter().rfind(|(id, _)| *id == ty)?;
        match width {
            8 | 16 | 32 => Some(Operand::LiteralBit32(self.word()?)),
            64 => {
                let (low, high) = (self.word()?, self.word()?);
                Some(Operand::LiteralBit64((u64::from(high) << 32) | u64::from(low)))
            }
            _ => None,
        }
    }

    fn operand(&mut self, kind: Kind, out: &mut Vec<Operand>) -> Option<()> {
        let operand = match kind {
            Kind::IdRef => Operand::IdRef(self.word()?),
            Kind::IdScope => Operand::IdScope(self.word()?),
            Kind::IdMemorySemantics => Operand::IdMemorySemantics(self.word()?),
            Kind::PairIdRefIdRef => {
                out.push(Operand::IdRef(self.word()?));
                Operand::IdRef(self.word()?)
            }
            Kind::LiteralInteger => Operand::LiteralBit32(self.word()?),
            Kind::LiteralExtInstInteger => Operand::LiteralExtInstInteger(self.word()?),
            Kind::LiteralString => Operand::LiteralString(self.string()?),
            Kind::StorageClass => {
                Operand::StorageClass(spirv::StorageClass::from_u32(self.word()?)?)
            }
            Kind::FunctionControl => {
                Operand::FunctionControl(spirv::FunctionControl::from_bits(self.word()?)?)
            }
            Kind::SelectionControl => {
                Operand::SelectionControl(spirv::SelectionControl::from_bits(self.word()?)?)
            }
            Kind::LoopControl => {
                let plain = LoopControl::UNROLL | LoopControl::DONT_UNROLL;
                let control = LoopControl::from_bits(self.word()?)?;
                Operand::LoopControl(Some(control).filter(|control| plain.contains(*control))?)
            }
            Kind::MemoryAccess => {
                let plain = MemoryAccess::VOLATILE | MemoryAccess::NONTEMPORAL;
                let access = MemoryAccess::from_bits(self.word()?)?;
                Operand::MemoryAccess(Some(access).filter(|access| plain.contains(*access))?)
            }
            Kind::GroupOperation => {
                Operand::GroupOperation(spirv::GroupOperation::from_u32(self.word()?)?)
            }
            Kind::Capability => Operand::Capability(spirv::Capability::from_u32(self.word()?)?),
            Kind::AddressingModel => {
                Operand::AddressingModel(spirv::AddressingModel::from_u32(self.word()?)?)
            }
            Kind::MemoryModel => Operand::MemoryModel(spirv::MemoryModel::from_u32(self.word()?)?),
            Kind::ExecutionModel => {
                Operand::ExecutionModel(spirv::ExecutionModel::from_u32(self.word()?)?)
            }
            Kind::ExecutionMode => return self.execution_mode(out),
            Kind::Decoration => return self.decoration(out),
            _ => return None,
        };
        out.push(operand);
        Some(())
    }

    fn execution_mode(&mut self, out: &mut Vec<Operand>) -> Option<()> {
        let mode = ExecutionMode::from_u32(self.word()?)?;
        out.push(Operand::ExecutionMode(mode));
        let ExecutionMode::LocalSize = mode else { return None };
        for _ in 0..3 {
            out.push(Operand::LiteralBit32(self.word()?));
        }
        Some(())
    }

    fn decoration(&mut self, out: &mut Vec<Operand>) -> Option<()> {
        let decoration = Decoration::from_u32(self.word()?)?;
        out.push(Operand::Decoration(decoration));
        match decoration {
            Decoration::Block | Decoration::NonWritable | Decoration::NonReadable => {}
            Decoration::ArrayStride
            | Decoration::Offset
            | Decoration::Binding
            | Decoration::DescriptorSet => out.push(Operand::LiteralBit32(self.word()?)),
            Decoration::BuiltIn => {
                out.push(Operand::BuiltIn(spirv::BuiltIn::from_u32(self.word()?)?));
            }
            _ => return None,
        }
        Some(())
    }

    /// Bytes up to a zero, and the rest of its word.
    fn string(&mut self) -> Option<String> {
        let mut bytes = Vec::with_capacity(4 * self.left.len());
        loop {
            let four = self.word()?.to_le_bytes();
            let end = four.iter().position(|byte| *byte == 0);
            bytes.extend_from_slice(&four[..end.unwrap_or(four.len())]);
            if end.is_some() {
                return String::from_utf8(bytes).ok();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::spirv::assemble::assemble;
    use rspirv::binary::{Consumer, ParseAction, parse_words};
    use rspirv::dr::{Instruction, ModuleHeader};

    /// What was read.
    #[derive(Debug, Default, PartialEq)]
    struct Read {
        bound: u32,
        instructions: Vec<Instruction>,
    }

    impl Consumer for Read {
        fn initialize(&mut self) -> ParseAction {
            ParseAction::Continue
        }

        fn finalize(&mut self) -> ParseAction {
            ParseAction::Continue
        }

        fn consume_header(&mut self, header: ModuleHeader) -> ParseAction {
            self.bound = header.bound;
            ParseAction::Continue
        }

        fn consume_instruction(&mut self, instruction: Instruction) -> ParseAction {
            self.instructions.push(instruction);
            ParseAction::Continue
        }
    }

    fn here(words: &[u32]) -> Option<Read> {
        let mut read_here = Read::default();
        read(words, &mut read_here).map(|()| read_here)
    }

    fn by_the_parser(words: &[u32]) -> Option<Read> {
        let mut read = Read::default();
        parse_words(words, &mut read).ok().map(|()| read)
    }

    /// Every kind of operand that is read here.
    const MODULE: &str = r#"
OpCapability Shader
OpCapability Int64
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %words
OpExecutionMode %main LocalSize 4 1 1
OpName %main "main"
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %array ArrayStride 4
OpDecorate %struct Block
OpMemberDecorate %struct 0 Offset 0
OpDecorate %words NonWritable
OpDecorate %words DescriptorSet 0
OpDecorate %words Binding 1
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%long = OpTypeInt 64 1
%float = OpTypeFloat 32
%bool = OpTypeBool
%three = OpTypeVector %uint 3
%input = OpTypePointer Input %three
%id = OpVariable %input Input
%array = OpTypeRuntimeArray %uint
%struct = OpTypeStruct %array
%buffer = OpTypePointer StorageBuffer %struct
%word = OpTypePointer StorageBuffer %uint
%words = OpVariable %buffer StorageBuffer
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%wide = OpConstant %long -5000000000
%half = OpConstant %float 0.5
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%start = OpLabel
%ids = OpLoad %three %id
%x = OpCompositeExtract %uint %ids 0
%at = OpAccessChain %word %words %zero %x
%old = OpAtomicUMax %uint %at %one %zero %x
%positive = OpExtInst %float %glsl FAbs %half
OpBranch %head
%head = OpLabel
%round = OpPhi %uint %zero %start %next %again
OpLoopMerge %end %again None
OpBranch %body
%body = OpLabel
%more = OpULessThan %bool %round %x
OpSelectionMerge %again None
OpBranchConditional %more %again %end
%again = OpLabel
%next = OpIAdd %uint %round %one
OpBranch %head
%end = OpLabel
OpStore %at %round Volatile
OpReturn
OpFunctionEnd
"#;

    #[test]
    fn a_shader_is_read_as_the_parser_reads_it() {
        let words = assemble(MODULE).expect("the module is assembled");
        let read = here(&words).expect("all of it is read here");
        assert_eq!(Some(read), by_the_parser(&words));
    }

    /// With any word another one, and cut short anywhere: what is read here is what the parser reads.
    #[test]
    fn what_is_read_is_what_the_parser_reads() {
        let words = assemble(MODULE).expect("the module is assembled");
        let mut both = 0;
        for at in 0..words.len() {
            let mut changed = words.clone();
            let (one, two) = (words[at] ^ (1 << 16), words[at].wrapping_add(1 << 17));
            let others = [0, 1, 3, words[at] ^ 1, one, two, !0];
            for other in others {
                changed[at] = other;
                if let Some(read) = here(&changed) {
                    assert_eq!(Some(read), by_the_parser(&changed), "word {at} is {other}");
                    both += 1;
                }
            }
            if let Some(read) = here(&words[..at]) {
                assert_eq!(Some(read), by_the_parser(&words[..at]), "{at} words");
            }
        }
        assert!(both > words.len(), "{both} of {} words", words.len());
    }
}
