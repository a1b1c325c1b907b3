//! A fast reader for the instructions that compute shaders consist of.
//!
//! For each opcode the grammar of `rspirv` is made into a [`Shape`] once: does the instruction have a result,
//! how many ids follow, which operands come after them. The words are then read along these shapes in one
//! pass. `None` is returned for modules with anything rare or wrong in them; `rspirv`'s parser reads those.
//! Both give the same instructions, which a test holds against each other.

use super::words::{Class, Operand, Source, id, stays};
use rspirv::grammar::{INSTRUCTION_TABLE, LogicalOperand, OperandKind, OperandQuantifier};
use rspirv::spirv::{self, AddressingModel, BuiltIn, Capability, Decoration, ExecutionMode};
use rspirv::spirv::{ExecutionModel, FunctionControl, GroupOperation, LoopControl, MemoryAccess};
use rspirv::spirv::{MemoryModel, Op as Opcode, SelectionControl, SourceLanguage};
use rspirv::spirv::{StorageClass, Word};
use smallvec::SmallVec;
use std::sync::LazyLock;

/// Opcodes below this are looked up by index. Compute shaders have no others.
const CORE: usize = 400;

impl<'w> Source<'w> {
    /// The instructions of a module; `None` if the parser has to read it.
    pub(in crate::spirv) fn fast(words: &'w [u32]) -> Option<Self> {
        let [magic, _, _, bound, _, rest @ ..] = words else { return None };
        let mut rest = rest;
        if *magic != spirv::MAGIC_NUMBER || *bound > super::MAX_IDS {
            return None;
        }
        let mut source = Self::new(words, *bound);
        // Most instructions have three to five words, and the entry point and GLSL.std.450 names.
        source.texts.reserve_exact(2);
        source.instructions.reserve_exact(words.len() / 3);
        source.operands.reserve_exact(words.len());
        let mut reader = FastReader { words: &[], source, numbers: SmallVec::new() };
        let shapes = &*SHAPES;
        while let Some(word) = rest.first() {
            let (count, opcode) = ((word >> 16) as usize, word & 0xffff);
            let (instruction, behind) = rest.split_at_checked(count)?;
            rest = behind;
            let shape = shapes.get(opcode as usize)?.as_ref()?;
            reader.instruction(shape, instruction.get(1..)?)?;
        }
        Some(reader.source)
    }
}

/// The grammar of an instruction, in the order in which it is read.
struct Shape {
    class: Class,
    opcode: Opcode,
    /// Does it begin with the type of its result?
    typed: bool,
    /// Does an id for its result follow?
    defines: bool,
    /// How many ids it must have next.
    ids: u8,
    /// Does it end with ids, as many as there are?
    open: bool,
    /// Is the instruction kept? Others only add names or lines to what is kept.
    stays: bool,
    /// Must something else follow?
    more: bool,
    /// The index of the operand of its class that comes next, which may be absent.
    rest: u8,
}

impl Shape {
    fn of(class: Class) -> Self {
        let mut rest = class.operands;
        let mut next = |wanted: OperandKind| match rest {
            [LogicalOperand { kind, quantifier: OperandQuantifier::One }, behind @ ..]
                if *kind == wanted =>
            {
                rest = behind;
                true
            }
            _ => false,
        };
        let typed = next(OperandKind::IdResultType);
        let defines = next(OperandKind::IdResult);
        let ids = std::iter::from_fn(|| next(OperandKind::IdRef).then_some(1u8)).sum();
        let many =
            LogicalOperand { kind: OperandKind::IdRef, quantifier: OperandQuantifier::ZeroOrMore };
        let open = *rest == [many];
        let rest = if open { &[] } else { rest };
        let more = rest.first().is_some_and(|next| next.quantifier == OperandQuantifier::One);
        let rest = (class.operands.len() - rest.len()) as u8;
        Self {
            class,
            opcode: class.opcode,
            typed,
            defines,
            ids,
            open,
            stays: stays(class.opcode),
            more,
            rest,
        }
    }
}

/// The shapes of instructions, by opcode.
static SHAPES: LazyLock<[Option<Shape>; CORE]> = LazyLock::new(|| {
    let mut shapes = [const { None }; CORE];
    for class in INSTRUCTION_TABLE.iter() {
        // The table is sorted by opcode.
        match shapes.get_mut(class.opcode as usize) {
            Some(entry) => *entry = Some(Shape::of(class)),
            None => break,
        }
    }
    shapes
});

/// The state of reading. A function that returns `None` leaves the module to the parser.
struct FastReader<'w> {
    /// What is left of the instruction at hand.
    words: &'w [u32],
    source: Source<'w>,
    /// The types of numbers, and whether a literal of theirs takes two words.
    numbers: SmallVec<[(Word, bool); 4]>,
}

impl<'w> FastReader<'w> {
    #[inline]
    fn word(&mut self) -> Option<Word> {
        let (word, rest) = self.words.split_first()?;
        self.words = rest;
        Some(*word)
    }

    /// Characters up to a zero byte, and the rest of its word.
    fn string(&mut self) -> Option<String> {
        let last = self.words.iter().position(|word| word.to_le_bytes().contains(&0))?;
        let (words, rest) = self.words.split_at(last + 1);
        self.words = rest;
        let mut text = Vec::with_capacity(4 * words.len());
        words.iter().for_each(|word| text.extend_from_slice(&word.to_le_bytes()));
        text.truncate(text.iter().position(|byte| *byte == 0)?);
        String::from_utf8(text).ok()
    }

    /// An instruction of this shape with these words, its first one left out.
    fn instruction(&mut self, shape: &Shape, mut words: &'w [u32]) -> Option<()> {
        let mut first = |there: bool| match there {
            true => words.split_off_first().map(|word| Some(*word)),
            false => Some(None),
        };
        let (result_type, result_id) = (first(shape.typed)?, first(shape.defines)?);
        let least = usize::from(shape.ids);
        let ids = if shape.open { words.len().max(least) } else { least };
        let (ids, rest) = words.split_at_checked(ids)?;
        let start = self.source.operands.len();
        // There is room for all words already.
        for id in ids {
            self.source.operands.push(Operand::IdRef(*id));
        }
        if !rest.is_empty() {
            self.words = rest;
            self.rest(&shape.class.operands[usize::from(shape.rest)..], result_type, start)?;
        } else if shape.more {
            return None;
        }
        let opcode = shape.opcode;
        if !shape.stays {
            self.source.note(opcode, start);
            return Some(());
        }
        if let Some(id) = result_id {
            let known = self.source.ids.get_mut(id as usize).filter(|known| known.is_new())?;
            known.begin(self.source.instructions.len(), result_type);
            if matches!(opcode, Opcode::TypeInt | Opcode::TypeFloat) {
                self.number(opcode, id, start);
            }
        }
        self.source.keep(opcode, result_type, result_id, start);
        Some(())
    }

    /// Reads the remaining operands of the instruction. Those that are read already begin at index `start`.
    fn rest(
        &mut self,
        operands: &[LogicalOperand],
        result_type: Option<Word>,
        start: usize,
    ) -> Option<()> {
        'operands: for operand in operands {
            loop {
                if self.words.is_empty() {
                    if operand.quantifier == OperandQuantifier::One {
                        return None;
                    }
                    break 'operands;
                }
                match operand.kind {
                    OperandKind::LiteralContextDependentNumber => self.literal(result_type?)?,
                    OperandKind::PairLiteralIntegerIdRef => {
                        let selector = self.source.operands.get(start).and_then(id)?;
                        self.literal(self.type_of(selector)?)?;
                        self.operand(OperandKind::IdRef)?;
                    }
                    kind => self.operand(kind)?,
                }
                if operand.quantifier != OperandQuantifier::ZeroOrMore {
                    break;
                }
            }
        }
        self.words.is_empty().then_some(())
    }

    /// Notes which literals belong to a type. Those of other widths the parser refuses.
    fn number(&mut self, opcode: Opcode, id: Word, start: usize) {
        let Some(Operand::LiteralBit32(width)) = self.source.operands.get(start) else { return };
        match (opcode, width) {
            (Opcode::TypeInt, 8 | 16 | 32) | (Opcode::TypeFloat, 16 | 32) => {
                self.numbers.push((id, false));
            }
            (_, 64) => self.numbers.push((id, true)),
            _ => {}
        }
    }

    /// A literal of this type, which must be that of a number.
    fn literal(&mut self, ty: Word) -> Option<()> {
        let &(_, wide) = self.numbers.iter().find(|(number, _)| *number == ty)?;
        let low = self.word()?;
        let operand = match wide {
            false => Operand::LiteralBit32(low),
            true => {
                let high = u64::from(self.word()?);
                self.source.two_words(high << 32 | u64::from(low))
            }
        };
        self.source.operands.push(operand);
        Some(())
    }

    /// The type of a value.
    fn type_of(&self, value: Word) -> Option<Word> {
        let known = self.source.ids.get(value as usize).filter(|known| !known.is_new())?;
        Some(known.ty).filter(|ty| *ty != 0)
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
            K::LiteralString => {
                let text = self.string()?;
                self.source.string(text)
            }
            K::PairIdRefIdRef => {
                let id = self.word()?;
                self.source.operands.push(Operand::IdRef(id));
                Operand::IdRef(self.word()?)
            }
            K::StorageClass => Operand::StorageClass(StorageClass::from_u32(self.word()?)?),
            K::GroupOperation => Operand::GroupOperation(GroupOperation::from_u32(self.word()?)?),
            K::BuiltIn => Operand::BuiltIn(BuiltIn::from_u32(self.word()?)?),
            K::ExecutionModel => Operand::ExecutionModel(ExecutionModel::from_u32(self.word()?)?),
            K::FunctionControl => other(FunctionControl::from_bits(self.word()?))?,
            K::SelectionControl => other(SelectionControl::from_bits(self.word()?))?,
            K::Capability => other(Capability::from_u32(self.word()?))?,
            K::AddressingModel => other(AddressingModel::from_u32(self.word()?))?,
            K::MemoryModel => other(MemoryModel::from_u32(self.word()?))?,
            K::SourceLanguage => other(SourceLanguage::from_u32(self.word()?))?,
            // With some of these more operands follow.
            K::LoopControl if self.word()? == LoopControl::NONE.bits() => Operand::Other,
            K::MemoryAccess if self.word()? == MemoryAccess::NONE.bits() => Operand::Other,
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
            D::Block
            | D::NonWritable
            | D::NonReadable
            | D::NoContraction
            | D::Coherent
            | D::ColMajor
            | D::RowMajor => Some(()),
            D::ArrayStride
            | D::MatrixStride
            | D::Offset
            | D::Binding
            | D::DescriptorSet
            | D::SpecId => self.operand(OperandKind::LiteralInteger),
            D::BuiltIn => self.operand(OperandKind::BuiltIn),
            _ => None,
        }
    }
}

/// An operand whose value is not needed, if it is a valid one.
fn other<T>(operand: Option<T>) -> Option<Operand> {
    operand.map(|_| Operand::Other)
}
