//! The words of a module as instructions, by the grammar of `rspirv`.
//!
//! Its parser goes through the table of instructions from the front, twice for each, and makes a
//! vector of each operand, which took more time than all else that a module is read with. So what
//! compute shaders consist of is read here, along its grammar; the parser is asked about modules that
//! have anything else, and says what is wrong with those that are none.

use rspirv::binary::{Consumer, ParseAction, ParseState, parse_words};
use rspirv::dr::{self, ModuleHeader, Operand};
use rspirv::grammar::{self, INSTRUCTION_TABLE, OperandKind, OperandQuantifier};
use rspirv::spirv::{self, AddressingModel, BuiltIn, Capability, Decoration, ExecutionMode};
use rspirv::spirv::{ExecutionModel, FunctionControl, GroupOperation, LoopControl, MemoryAccess};
use rspirv::spirv::{MemoryModel, Op as Opcode, SelectionControl, SourceLanguage};
use rspirv::spirv::{StorageClass, Word};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::LazyLock;

/// The grammar of an instruction.
type Class = &'static grammar::Instruction<'static>;

/// Opcodes below this are looked up at once: all that compute shaders have.
const CORE: usize = 400;

/// An instruction; its operands stand with those of the others.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Instruction {
    pub(super) class: Class,
    pub(super) result_type: Option<Word>,
    pub(super) result_id: Option<Word>,
    operands: Range<u32>,
}

/// The instructions, without those that say nothing to a run.
#[derive(Debug, Default, PartialEq)]
pub(in crate::spirv) struct Source {
    pub(super) bound: u32,
    pub(super) instructions: Vec<Instruction>,
    operands: Vec<Operand>,
    /// Lines of the instructions; 0 if there is none.
    pub(super) lines: Vec<u32>,
    line: u32,
    pub(super) names: FxHashMap<Word, String>,
}

impl Source {
    /// Reads the words.
    ///
    /// # Errors
    /// They are no module.
    pub(super) fn read(words: &[u32]) -> Result<Self, ParseState> {
        match Self::quick(words) {
            Some(source) => Ok(source),
            None => Self::parsed(words),
        }
    }

    /// As `rspirv`'s parser reads them.
    pub(in crate::spirv) fn parsed(words: &[u32]) -> Result<Self, ParseState> {
        let mut source = Self::default();
        parse_words(words, &mut source).map(|()| source)
    }

    /// The same, unless there is something that is rare, or wrong.
    pub(in crate::spirv) fn quick(words: &[u32]) -> Option<Self> {
        let [magic, _, _, bound, _, rest @ ..] = words else { return None };
        let mut rest = rest;
        if *magic != spirv::MAGIC_NUMBER || *bound > super::MAX_IDS {
            return None;
        }
        let mut source = Self { bound: *bound, ..Self::default() };
        // Most instructions have three to five words.
        source.instructions.reserve(words.len() / 4);
        source.lines.reserve(words.len() / 4);
        source.operands.reserve(words.len());
        let literals = vec![None; source.bound as usize];
        let mut quick = Quick { words: &[], source, literals };
        let classes = &*CLASSES;
        while let Some(word) = rest.first() {
            let (count, opcode) = ((word >> 16) as usize, word & 0xffff);
            let (instruction, behind) = rest.split_at_checked(count)?;
            rest = behind;
            quick.words = instruction.get(1..)?;
            let class = classes.get(opcode as usize).copied().flatten()?;
            quick.instruction(class)?;
        }
        Some(quick.source)
    }

    pub(super) fn opcode(&self, at: usize) -> Option<Opcode> {
        self.instructions.get(at).map(|instruction| instruction.class.opcode)
    }

    /// The operands of an instruction, besides its result and its type.
    pub(super) fn operands(&self, at: usize) -> &[Operand] {
        let Range { start, end } = self.instructions[at].operands;
        &self.operands[start as usize..end as usize]
    }

    /// The id that is operand number `n`.
    pub(super) fn id(&self, at: usize, n: usize) -> Option<Word> {
        self.operands(at).get(n).and_then(id)
    }

    /// The id by which reports name an instruction: the one that it defines, or its first operand.
    pub(super) fn named(&self, at: usize) -> Option<Word> {
        self.instructions[at].result_id.or_else(|| self.id(at, 0))
    }

    /// The instruction as `rspirv` has it, for its text.
    pub(super) fn whole(&self, at: usize) -> dr::Instruction {
        let Instruction { class, result_type, result_id, .. } = self.instructions[at];
        dr::Instruction { class, result_type, result_id, operands: self.operands(at).to_vec() }
    }

    /// Keeps an instruction whose operands are those from number `start` on, if it says something.
    #[inline]
    fn keep(
        &mut self,
        class: Class,
        result_type: Option<Word>,
        result_id: Option<Word>,
        start: usize,
    ) {
        match class.opcode {
            Opcode::Name => {
                if let [Operand::IdRef(id), Operand::LiteralString(name)] = &self.operands[start..]
                {
                    self.names.insert(*id, name.clone());
                }
            }
            Opcode::Line => {
                if let Some(Operand::LiteralBit32(line)) = self.operands.get(start + 1) {
                    self.line = *line;
                }
            }
            Opcode::NoLine => self.line = 0,
            Opcode::Nop
            | Opcode::MemberName
            | Opcode::Source
            | Opcode::SourceContinued
            | Opcode::SourceExtension
            | Opcode::ModuleProcessed
            | Opcode::Extension => {}
            _ => {
                if matches!(class.opcode, Opcode::Function | Opcode::Label) {
                    self.line = 0;
                }
                let operands = start as u32..self.operands.len() as u32;
                self.instructions.push(Instruction { class, result_type, result_id, operands });
                self.lines.push(self.line);
                return;
            }
        }
        self.operands.truncate(start);
    }
}

/// The id that an operand is.
pub(super) fn id(operand: &Operand) -> Option<Word> {
    match operand {
        Operand::IdRef(id) | Operand::IdScope(id) | Operand::IdMemorySemantics(id) => Some(*id),
        _ => None,
    }
}

impl Consumer for Source {
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

    fn consume_instruction(&mut self, instruction: dr::Instruction) -> ParseAction {
        let dr::Instruction { class, result_type, result_id, operands } = instruction;
        let start = self.operands.len();
        self.operands.extend(operands);
        self.keep(class, result_type, result_id, start);
        ParseAction::Continue
    }
}

/// The grammar of the instructions of lower opcodes, by these.
static CLASSES: LazyLock<[Option<Class>; CORE]> = LazyLock::new(|| {
    let mut classes = [None; CORE];
    for class in INSTRUCTION_TABLE.iter() {
        // They stand in order.
        match classes.get_mut(class.opcode as usize) {
            Some(entry) => *entry = Some(class),
            None => break,
        }
    }
    classes
});

/// How many words a literal of a type takes.
#[derive(Clone, Copy, PartialEq)]
enum Literal {
    One,
    Two,
    /// The parser refuses it.
    Refused,
}

/// What is known while words are read; `None` means that the parser is to be asked.
struct Quick<'w> {
    /// What is left of the instruction at hand.
    words: &'w [u32],
    source: Source,
    /// Of the types of numbers and of their values, by their ids.
    literals: Vec<Option<Literal>>,
}

impl Quick<'_> {
    fn word(&mut self) -> Option<Word> {
        let (word, rest) = self.words.split_first()?;
        self.words = rest;
        Some(*word)
    }

    /// Characters up to a zero byte, and the rest of its word.
    fn string(&mut self) -> Option<String> {
        let bytes = self.words.iter().flat_map(|word| word.to_le_bytes());
        let text: Vec<u8> = bytes.take_while(|byte| *byte != 0).collect();
        self.words = self.words.get(text.len() / 4 + 1..)?;
        String::from_utf8(text).ok()
    }

    fn instruction(&mut self, class: Class) -> Option<()> {
        let (mut result_type, mut result_id) = (None, None);
        let start = self.source.operands.len();
        'operands: for operand in class.operands {
            loop {
                if self.words.is_empty() {
                    if operand.quantifier == OperandQuantifier::One {
                        return None;
                    }
                    break 'operands;
                }
                match operand.kind {
                    OperandKind::IdResultType => result_type = Some(self.word()?),
                    OperandKind::IdResult => result_id = Some(self.word()?),
                    OperandKind::LiteralContextDependentNumber => self.literal(result_type?)?,
                    OperandKind::PairLiteralIntegerIdRef => {
                        let selector = self.source.operands.get(start).and_then(id)?;
                        self.literal(selector)?;
                        self.operand(OperandKind::IdRef)?;
                    }
                    OperandKind::IdRef => {
                        let id = self.word()?;
                        self.source.operands.push(Operand::IdRef(id));
                    }
                    kind => self.operand(kind)?,
                }
                if operand.quantifier != OperandQuantifier::ZeroOrMore {
                    break;
                }
            }
        }
        if !self.words.is_empty() {
            return None;
        }
        if let Some(id) = result_id {
            self.track(class.opcode, id, result_type, start)?;
        }
        self.source.keep(class, result_type, result_id, start);
        Some(())
    }

    /// Notes which literals belong to an id.
    fn track(&mut self, opcode: Opcode, id: Word, ty: Option<Word>, start: usize) -> Option<()> {
        let literal = match (opcode, self.source.operands.get(start)) {
            (Opcode::TypeInt, Some(Operand::LiteralBit32(8 | 16 | 32)))
            | (Opcode::TypeFloat, Some(Operand::LiteralBit32(16 | 32))) => Some(Literal::One),
            (Opcode::TypeInt | Opcode::TypeFloat, Some(Operand::LiteralBit32(64))) => {
                Some(Literal::Two)
            }
            (Opcode::TypeInt | Opcode::TypeFloat, _) => Some(Literal::Refused),
            _ if opcode.is_type() => None,
            _ => ty.and_then(|ty| self.literals.get(ty as usize).copied().flatten()),
        };
        if literal.is_some() {
            *self.literals.get_mut(id as usize)? = literal;
        }
        Some(())
    }

    /// A literal of this type, or of the type of this value; a word if it is not known.
    fn literal(&mut self, id: Word) -> Option<()> {
        let literal = self.literals.get(id as usize).copied().flatten();
        let operand = match literal {
            None | Some(Literal::One) => Operand::LiteralBit32(self.word()?),
            Some(Literal::Two) => {
                let (low, high) = (u64::from(self.word()?), u64::from(self.word()?));
                Operand::LiteralBit64(high << 32 | low)
            }
            Some(Literal::Refused) => return None,
        };
        self.source.operands.push(operand);
        Some(())
    }

    /// An operand of this kind, with those that it asks for.
    fn operand(&mut self, kind: OperandKind) -> Option<()> {
        use OperandKind as K;
        let operand = match kind {
            K::IdRef => Operand::IdRef(self.word()?),
            K::IdScope => Operand::IdScope(self.word()?),
            K::IdMemorySemantics => Operand::IdMemorySemantics(self.word()?),
            K::LiteralInteger => Operand::LiteralBit32(self.word()?),
            K::LiteralExtInstInteger => Operand::LiteralExtInstInteger(self.word()?),
            K::LiteralString => Operand::LiteralString(self.string()?),
            K::PairIdRefIdRef => {
                let id = self.word()?;
                self.source.operands.push(Operand::IdRef(id));
                Operand::IdRef(self.word()?)
            }
            K::StorageClass => Operand::StorageClass(StorageClass::from_u32(self.word()?)?),
            K::FunctionControl => {
                Operand::FunctionControl(FunctionControl::from_bits(self.word()?)?)
            }
            K::SelectionControl => {
                Operand::SelectionControl(SelectionControl::from_bits(self.word()?)?)
            }
            K::GroupOperation => Operand::GroupOperation(GroupOperation::from_u32(self.word()?)?),
            K::BuiltIn => Operand::BuiltIn(BuiltIn::from_u32(self.word()?)?),
            K::Capability => Operand::Capability(Capability::from_u32(self.word()?)?),
            K::AddressingModel => {
                Operand::AddressingModel(AddressingModel::from_u32(self.word()?)?)
            }
            K::MemoryModel => Operand::MemoryModel(MemoryModel::from_u32(self.word()?)?),
            K::ExecutionModel => Operand::ExecutionModel(ExecutionModel::from_u32(self.word()?)?),
            K::SourceLanguage => Operand::SourceLanguage(SourceLanguage::from_u32(self.word()?)?),
            // With some of these more operands follow.
            K::LoopControl => match LoopControl::from_bits(self.word()?)? {
                control if control == LoopControl::NONE => Operand::LoopControl(control),
                _ => return None,
            },
            K::MemoryAccess => match MemoryAccess::from_bits(self.word()?)? {
                access if access == MemoryAccess::NONE => Operand::MemoryAccess(access),
                _ => return None,
            },
            K::ExecutionMode => match ExecutionMode::from_u32(self.word()?)? {
                mode @ ExecutionMode::LocalSize => {
                    self.source.operands.push(Operand::ExecutionMode(mode));
                    return (0..3).try_for_each(|_| self.operand(K::LiteralInteger));
                }
                _ => return None,
            },
            K::Decoration => return self.decoration(),
            _ => return None,
        };
        self.source.operands.push(operand);
        Some(())
    }

    fn decoration(&mut self) -> Option<()> {
        use Decoration as D;
        let decoration = Decoration::from_u32(self.word()?)?;
        self.source.operands.push(Operand::Decoration(decoration));
        match decoration {
            D::Block | D::NonWritable | D::NonReadable | D::NoContraction | D::Coherent => Some(()),
            D::ArrayStride | D::Offset | D::Binding | D::DescriptorSet | D::SpecId => {
                self.operand(OperandKind::LiteralInteger)
            }
            D::BuiltIn => self.operand(OperandKind::BuiltIn),
            _ => None,
        }
    }
}
