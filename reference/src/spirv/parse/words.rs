//! The words of a module as instructions, by the grammar of `rspirv`.
//!
//! Its parser searches the table of instructions from the front, twice for each instruction, and allocates a
//! vector for each operand. That took more time than all the rest of reading a module. So the instructions
//! that compute shaders consist of are read in [`super::fast_reader`]. The parser reads modules with any
//! other instruction, and reports what is wrong with words that are no module.

use crate::spirv::ids::Id;
use rspirv::binary::{Consumer, DecodeError, Disassemble, ParseAction, ParseState, parse_words};
use rspirv::dr::{self, ModuleHeader};
use rspirv::grammar::{self, INSTRUCTION_TABLE};
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, GroupOperation};
use rspirv::spirv::{Op as Opcode, StorageClass, Word};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The grammar of an instruction.
pub(super) type Class = &'static grammar::Instruction<'static>;

/// An operand, without what nothing needs. The one of `rspirv` is four times as large, and has a destructor.
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
    /// An operand that has no effect on a run.
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

/// The instructions, without those that have no effect on a run.
#[derive(Debug, Default, PartialEq)]
pub(in crate::spirv) struct Source<'w> {
    words: &'w [u32],
    pub(super) bound: u32,
    pub(super) instructions: Vec<Instruction>,
    pub(super) operands: Vec<Operand>,
    wide: Vec<u64>,
    pub(super) texts: Vec<String>,
    /// The source line of the next instruction.
    line: u32,
    /// Which instruction is the first one of that line.
    lined: usize,
    pub(super) names: FxHashMap<Word, String>,
    /// What is known of each id; empty if there are too many.
    pub(super) ids: Vec<Id>,
}

impl<'w> Source<'w> {
    /// Reads the words.
    ///
    /// # Errors
    /// They are no module.
    pub(super) fn read(words: &'w [u32]) -> Result<Self, ParseState> {
        match Self::fast(words) {
            Some(source) => Ok(source),
            None => Self::parsed(words),
        }
    }

    /// None so far, of a module with this bound of ids.
    pub(super) fn new(words: &'w [u32], bound: u32) -> Self {
        Self { words, bound, ids: vec![Id::NEW; bound as usize], ..Self::default() }
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

    /// The number of the compiler that made the module.
    pub(super) fn generator(&self) -> Word {
        self.words.get(2).copied().unwrap_or(0)
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
    pub(super) fn keep(
        &mut self,
        opcode: Opcode,
        result_type: Option<Word>,
        result_id: Option<Word>,
        start: usize,
    ) {
        let mut line = self.line;
        if matches!(opcode, Opcode::Function | Opcode::Label) {
            // A line of the block before ends with that.
            line = if self.lined == self.instructions.len() { line } else { 0 };
            self.line = 0;
        }
        let operands = start as u32..self.operands.len() as u32;
        self.instructions.push(Instruction { opcode, result_type, result_id, line, operands });
    }

    /// What an instruction that does not stay says of others. Its operands and their texts go.
    #[inline(never)]
    pub(super) fn note(&mut self, opcode: Opcode, start: usize) {
        match (opcode, &self.operands[start..]) {
            (Opcode::Name, [Operand::IdRef(id), Operand::LiteralString(name)]) => {
                self.names.insert(*id, std::mem::take(&mut self.texts[*name as usize]));
            }
            (Opcode::Line, [_, Operand::LiteralBit32(line), ..]) => {
                (self.line, self.lined) = (*line, self.instructions.len());
            }
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

    pub(super) fn string(&mut self, text: String) -> Operand {
        self.texts.push(text);
        Operand::LiteralString(self.texts.len() as u32 - 1)
    }

    pub(super) fn two_words(&mut self, literal: u64) -> Operand {
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

/// How many words come before an instruction that goes on behind the last one; all if none does. The parser panics on some
/// of these.
pub(in crate::spirv) fn whole(words: &[u32]) -> usize {
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
pub(super) fn stays(opcode: Opcode) -> bool {
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
