//! The words of a module as instructions, by the grammar of `rspirv`.
//!
//! Its parser goes through the table of instructions from the front, twice for each, and makes a
//! vector of each operand, which took more time than all else that a module is read with. So what
//! compute shaders consist of is read here, along its grammar; the parser is asked about modules that
//! have anything else, and says what is wrong with those that are none.

use crate::spirv::ids::Id;
use rspirv::binary::{Consumer, DecodeError, Disassemble, ParseAction, ParseState, parse_words};
use rspirv::dr::{self, ModuleHeader};
use rspirv::grammar::{self, INSTRUCTION_TABLE, LogicalOperand, OperandKind, OperandQuantifier};
use rspirv::spirv::{self, AddressingModel, BuiltIn, Capability, Decoration, ExecutionMode};
use rspirv::spirv::{ExecutionModel, FunctionControl, GroupOperation, LoopControl, MemoryAccess};
use rspirv::spirv::{MemoryModel, Op as Opcode, SelectionControl, SourceLanguage};
use rspirv::spirv::{StorageClass, Word};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::LazyLock;

/// The grammar of an instruction.
type Class = &'static grammar::Instruction<'static>;

/// Opcodes below this are looked up at once: all that compute shaders have.
const CORE: usize = 400;

/// An operand, as far as anything asks for it. `rspirv`'s own is four times as large, and must be
/// dropped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operand {
    IdRef(Word),
    IdScope(Word),
    IdMemorySemantics(Word),
    LiteralBit32(u32),
    /// The number of a literal of two words.
    LiteralBit64(u32),
    LiteralExtInstInteger(u32),
    LiteralSpecConstantOpInteger(Opcode),
    /// The number of a text.
    LiteralString(u32),
    BuiltIn(BuiltIn),
    Decoration(Decoration),
    ExecutionMode(ExecutionMode),
    ExecutionModel(ExecutionModel),
    GroupOperation(GroupOperation),
    StorageClass(StorageClass),
    /// It says nothing to a run.
    Other,
}

/// An instruction; its operands stand with those of the others.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Instruction {
    pub(super) opcode: Opcode,
    pub(super) result_type: Option<Word>,
    pub(super) result_id: Option<Word>,
    /// 0 if there is none.
    pub(super) line: u32,
    operands: Range<u32>,
}

/// The instructions, without those that say nothing to a run.
#[derive(Debug, Default, PartialEq)]
pub(in crate::spirv) struct Source<'w> {
    words: &'w [u32],
    pub(super) bound: u32,
    pub(super) instructions: Vec<Instruction>,
    operands: Vec<Operand>,
    wide: Vec<u64>,
    texts: Vec<String>,
    /// The line that goes for the next instruction.
    line: u32,
    pub(super) names: FxHashMap<Word, String>,
    /// What instructions say of the ids that they define; empty if there are too many.
    pub(super) ids: Vec<Id>,
}

impl<'w> Source<'w> {
    /// Reads the words.
    ///
    /// # Errors
    /// They are no module.
    pub(super) fn read(words: &'w [u32]) -> Result<Self, ParseState> {
        match Self::quick(words) {
            Some(source) => Ok(source),
            None => Self::parsed(words),
        }
    }

    /// As `rspirv`'s parser reads them. It looks for the end of a text behind the last word, so what goes
    /// on there is refused here; what is wrong before comes first.
    pub(in crate::spirv) fn parsed(words: &'w [u32]) -> Result<Self, ParseState> {
        let mut source = Self { words, ..Self::default() };
        let whole = whole(words);
        parse_words(&words[..whole], &mut source)?;
        match whole == words.len() {
            true => Ok(source),
            false => Err(DecodeError::StreamExpected(4 * words.len()).into()),
        }
    }

    /// The same, unless there is something that is rare, or wrong.
    pub(in crate::spirv) fn quick(words: &'w [u32]) -> Option<Self> {
        let [magic, _, _, bound, _, rest @ ..] = words else { return None };
        let mut rest = rest;
        if *magic != spirv::MAGIC_NUMBER || *bound > super::MAX_IDS {
            return None;
        }
        let ids = vec![Id::NEW; *bound as usize];
        let mut source = Self { words, bound: *bound, ids, ..Self::default() };
        // Most instructions have three to five words.
        source.instructions.reserve_exact(words.len() / 3);
        source.operands.reserve_exact(words.len());
        let mut quick = Quick { words: &[], source, numbers: SmallVec::new() };
        let shapes = &*SHAPES;
        while let Some(word) = rest.first() {
            let (count, opcode) = ((word >> 16) as usize, word & 0xffff);
            let (instruction, behind) = rest.split_at_checked(count)?;
            rest = behind;
            let shape = shapes.get(opcode as usize)?.as_ref()?;
            quick.instruction(shape, instruction.get(1..)?)?;
        }
        Some(quick.source)
    }

    pub(super) fn opcode(&self, at: usize) -> Option<Opcode> {
        self.instructions.get(at).map(|instruction| instruction.opcode)
    }

    /// The operands of an instruction, besides its result and its type.
    pub(super) fn operands(&self, at: usize) -> &[Operand] {
        self.operands_of(&self.instructions[at])
    }

    /// The same of an instruction that is at hand.
    pub(super) fn operands_of(&self, instruction: &Instruction) -> &[Operand] {
        let Range { start, end } = instruction.operands;
        &self.operands[start as usize..end as usize]
    }

    /// The id that is operand number `n`.
    pub(super) fn id(&self, at: usize, n: usize) -> Option<Word> {
        self.operands(at).get(n).and_then(id)
    }

    /// The text with this number.
    pub(super) fn text(&self, number: u32) -> &str {
        &self.texts[number as usize]
    }

    /// The literal of two words with this number.
    pub(super) fn wide(&self, number: u32) -> u64 {
        self.wide[number as usize]
    }

    /// The id by which reports name an instruction: the one that it defines, or its first operand.
    pub(super) fn named(&self, at: usize) -> Option<Word> {
        self.instructions[at].result_id.or_else(|| self.id(at, 0))
    }

    /// How `rspirv` writes the instruction.
    #[cold]
    pub(super) fn disassembled(&self, at: usize) -> String {
        let mut wanted = Wanted { left: at, found: None };
        // It stops there.
        let _ = parse_words(self.words, &mut wanted);
        wanted.found.map_or_else(String::new, |instruction| instruction.disassemble())
    }

    /// Keeps an instruction whose operands are those from number `start` on.
    #[inline(always)] // Every instruction comes here.
    fn keep(
        &mut self,
        opcode: Opcode,
        result_type: Option<Word>,
        result_id: Option<Word>,
        start: usize,
    ) {
        if matches!(opcode, Opcode::Function | Opcode::Label) {
            self.line = 0;
        }
        let (line, operands) = (self.line, start as u32..self.operands.len() as u32);
        self.instructions.push(Instruction { opcode, result_type, result_id, line, operands });
    }

    /// What an instruction that does not stay says of others. Its operands and their texts go.
    #[inline(never)]
    fn note(&mut self, opcode: Opcode, start: usize) {
        match (opcode, &self.operands[start..]) {
            (Opcode::Name, [Operand::IdRef(id), Operand::LiteralString(name)]) => {
                self.names.insert(*id, std::mem::take(&mut self.texts[*name as usize]));
            }
            (Opcode::Line, [_, Operand::LiteralBit32(line), ..]) => self.line = *line,
            (Opcode::NoLine, _) => self.line = 0,
            _ => {}
        }
        let texts = self.operands.drain(start..).filter_map(|operand| match operand {
            Operand::LiteralString(number) => Some(number),
            _ => None,
        });
        let first = texts.min().map_or(self.texts.len(), |number| number as usize);
        self.texts.truncate(first);
    }

    /// The same operand.
    fn converted(&mut self, operand: dr::Operand) -> Operand {
        use dr::Operand as O;
        match operand {
            O::IdRef(id) => Operand::IdRef(id),
            O::IdScope(id) => Operand::IdScope(id),
            O::IdMemorySemantics(id) => Operand::IdMemorySemantics(id),
            O::LiteralBit32(k) => Operand::LiteralBit32(k),
            O::LiteralBit64(k) => self.two_words(k),
            O::LiteralExtInstInteger(k) => Operand::LiteralExtInstInteger(k),
            O::LiteralSpecConstantOpInteger(op) => Operand::LiteralSpecConstantOpInteger(op),
            O::LiteralString(text) => self.string(text),
            O::BuiltIn(it) => Operand::BuiltIn(it),
            O::Decoration(it) => Operand::Decoration(it),
            O::ExecutionMode(it) => Operand::ExecutionMode(it),
            O::ExecutionModel(it) => Operand::ExecutionModel(it),
            O::GroupOperation(it) => Operand::GroupOperation(it),
            O::StorageClass(it) => Operand::StorageClass(it),
            _ => Operand::Other,
        }
    }

    fn string(&mut self, text: String) -> Operand {
        self.texts.push(text);
        Operand::LiteralString(self.texts.len() as u32 - 1)
    }

    fn two_words(&mut self, literal: u64) -> Operand {
        self.wide.push(literal);
        Operand::LiteralBit64(self.wide.len() as u32 - 1)
    }
}

/// The grammar of the instructions with this opcode.
#[cold]
fn class(opcode: Opcode) -> Option<Class> {
    INSTRUCTION_TABLE.iter().find(|class| class.opcode == opcode)
}

/// The name of an opcode, without `Op`.
#[cold]
pub(super) fn name(opcode: Opcode) -> &'static str {
    class(opcode).map_or("", |class| class.opname.trim_start_matches("Op"))
}

/// How many words come before an instruction that goes on behind the last one; all if none does.
fn whole(words: &[u32]) -> usize {
    let mut at = 5;
    while let Some(word) = words.get(at) {
        match (word >> 16) as usize {
            // What has no words is no instruction, as the parser says.
            0 => break,
            count if words.len() - at < count => return at,
            count => at += count,
        }
    }
    words.len()
}

/// Does an instruction say something to a run by itself?
#[inline]
fn stays(opcode: Opcode) -> bool {
    use Opcode as O;
    let passes = matches!(
        opcode,
        O::Name
            | O::Line
            | O::NoLine
            | O::Nop
            | O::MemberName
            | O::Source
            | O::SourceContinued
            | O::SourceExtension
            | O::ModuleProcessed
            | O::Extension
    );
    !passes
}

/// The id that an operand is.
pub(super) fn id(operand: &Operand) -> Option<Word> {
    match operand {
        Operand::IdRef(id) | Operand::IdScope(id) | Operand::IdMemorySemantics(id) => Some(*id),
        _ => None,
    }
}

impl Consumer for Source<'_> {
    fn initialize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn finalize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_header(&mut self, header: ModuleHeader) -> ParseAction {
        self.bound = header.bound;
        // More are refused.
        if self.bound <= super::MAX_IDS {
            self.ids = vec![Id::NEW; self.bound as usize];
        }
        ParseAction::Continue
    }

    fn consume_instruction(&mut self, instruction: dr::Instruction) -> ParseAction {
        let dr::Instruction { class, result_type, result_id, operands } = instruction;
        let start = self.operands.len();
        for operand in operands {
            let operand = self.converted(operand);
            self.operands.push(operand);
        }
        if !stays(class.opcode) {
            self.note(class.opcode, start);
            return ParseAction::Continue;
        }
        // That an id is defined twice, or is not below the bound, is said where it is.
        if let Some(id) = result_id
            && let Some(known) = self.ids.get_mut(id as usize)
            && known.is_new()
        {
            known.begin(self.instructions.len(), result_type);
        }
        self.keep(class.opcode, result_type, result_id, start);
        ParseAction::Continue
    }
}

/// An instruction that is looked for: how many of those that stay stand before it.
struct Wanted {
    left: usize,
    found: Option<dr::Instruction>,
}

impl Consumer for Wanted {
    fn initialize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn finalize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_header(&mut self, _: ModuleHeader) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_instruction(&mut self, instruction: dr::Instruction) -> ParseAction {
        match self.left.checked_sub(usize::from(stays(instruction.class.opcode))) {
            Some(left) => self.left = left,
            None => {
                self.found = Some(instruction);
                return ParseAction::Stop;
            }
        }
        ParseAction::Continue
    }
}

/// What the grammar says of an instruction, in the order in which it is read.
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
    /// Does it say something to a run by itself?
    stays: bool,
    /// Must something else follow?
    more: bool,
    /// Which operands may follow, from this one of its class on.
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

/// The grammar of the instructions of lower opcodes, by these.
static SHAPES: LazyLock<[Option<Shape>; CORE]> = LazyLock::new(|| {
    let mut shapes = [const { None }; CORE];
    for class in INSTRUCTION_TABLE.iter() {
        // They stand in order.
        match shapes.get_mut(class.opcode as usize) {
            Some(entry) => *entry = Some(Shape::of(class)),
            None => break,
        }
    }
    shapes
});

/// What is known while words are read; `None` means that the parser is to be asked.
struct Quick<'w> {
    /// What is left of the instruction at hand.
    words: &'w [u32],
    source: Source<'w>,
    /// The types of numbers, and whether a literal of theirs takes two words.
    numbers: SmallVec<[(Word, bool); 4]>,
}

impl<'w> Quick<'w> {
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

    /// An instruction of this shape, of which these words stand behind the first one.
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
        // There is room for all words. Most often these are so few that more is no gain.
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

    /// Reads the operands of the instruction to its end. Those that it has already stand from number
    /// `start` on.
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
        let mut before = self.source.instructions.iter().rev();
        before.find(|instruction| instruction.result_id == Some(value))?.result_type
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
            D::Block | D::NonWritable | D::NonReadable | D::NoContraction | D::Coherent => Some(()),
            D::ArrayStride | D::Offset | D::Binding | D::DescriptorSet | D::SpecId => {
                self.operand(OperandKind::LiteralInteger)
            }
            D::BuiltIn => self.operand(OperandKind::BuiltIn),
            _ => None,
        }
    }
}

/// An operand of which nobody asks what it is, if it is something.
fn other<T>(operand: Option<T>) -> Option<Operand> {
    operand.map(|_| Operand::Other)
}
