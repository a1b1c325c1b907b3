//! What is seen of a module before it is read: whether words are one, whether its end is missing, and which entry points it
//! has.

use super::words::{self, Instruction, Operand, Source};
use rspirv::binary::{Consumer, DecodeError, ParseAction, ParseState, parse_words};
use rspirv::dr::{self, ModuleHeader};
use rspirv::grammar::INSTRUCTION_TABLE;
use rspirv::spirv::{Decoration, ExecutionModel, MAGIC_NUMBER, Op as Opcode, Word};
use rustc_hash::{FxHashMap, FxHashSet};

/// Bytes or words that are no module.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {byte}: {what}")]
pub struct NoModule {
    /// Where.
    pub byte: usize,
    /// Why.
    pub what: String,
    /// The line that its `OpLine` says, if there is one.
    pub line: Option<u32>,
}

/// Words of the header.
const HEADER: usize = 5;

/// The bytes of the header at which the version and the bound of ids stand.
const VERSION: usize = 4;
const BOUND: usize = 12;

/// The versions that there are, as the header has them: 1.0 to 1.6.
const VERSIONS: std::ops::RangeInclusive<Word> = 0x0001_0000..=0x0001_0600;

/// The words of a file.
///
/// # Errors
/// They are no module, or only the beginning of one.
pub fn words_of(bytes: &[u8]) -> Result<Vec<Word>, NoModule> {
    let size = bytes.len();
    let no = |byte, what: String| Err(NoModule { byte, what, line: None });
    if size < 4 * HEADER {
        return no(size, format!("the file has {size} bytes, and the header of a module has 20"));
    }
    let (chunks, rest) = bytes.as_chunks::<4>();
    let little = chunks.first().is_none_or(|first| Word::from_be_bytes(*first) != MAGIC_NUMBER);
    let word = if little { Word::from_le_bytes } else { Word::from_be_bytes };
    let words: Vec<Word> = chunks.iter().map(|chunk| word(*chunk)).collect();
    if words[0] != MAGIC_NUMBER {
        let what =
            format!("the file begins with {:#010x}, a module with {MAGIC_NUMBER:#010x}", words[0]);
        return no(0, what);
    }
    if !rest.is_empty() {
        let what = format!(
            "the file has {size} bytes, and a module has words of four: its end is missing"
        );
        return no(size - rest.len(), what);
    }
    if !VERSIONS.contains(&words[1]) || words[1] & 0xff != 0 {
        let what = format!(
            "the version is {:#010x}, and 1.0 to 1.6 ({:#010x} to {:#010x}) are read",
            words[1],
            VERSIONS.start(),
            VERSIONS.end()
        );
        return no(VERSION, what);
    }
    let source = Source::read(&words).map_err(|state| refused(&state, &words))?;
    if source.bound > super::MAX_IDS {
        let (bound, most) = (source.bound, super::MAX_IDS);
        return no(
            BOUND,
            format!("the bound of ids is {bound}, and {most} is the most that is read"),
        );
    }
    match source.missing() {
        Some(what) => no(size, what),
        None => Ok(words),
    }
}

/// An entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Its stage, as SPIR-V calls it: `GLCompute`, `Vertex`.
    pub stage: String,
    /// The line that its `OpLine` says, if there is one.
    pub line: Option<u32>,
}

/// The entry points of a module; none of what is no module.
pub fn entry_points(words: &[Word]) -> Vec<Entry> {
    let Ok(source) = Source::read(words) else { return Vec::new() };
    let entry = |instruction: &Instruction| match source.operands_of(instruction) {
        [Operand::ExecutionModel(model), _, Operand::LiteralString(name), ..]
            if instruction.opcode == Opcode::EntryPoint =>
        {
            Some(Entry {
                name: source.text(*name).to_owned(),
                stage: format!("{model:?}"),
                line: (instruction.line > 0).then_some(instruction.line),
            })
        }
        _ => None,
    };
    source.instructions.iter().filter_map(entry).collect()
}

/// The entry points of the compute stage.
pub fn entries(words: &[Word]) -> Vec<String> {
    let compute = format!("{:?}", ExecutionModel::GLCompute);
    let entries = entry_points(words).into_iter().filter(|entry| entry.stage == compute);
    entries.map(|entry| entry.name).collect()
}

/// The type of a specialisation constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Specialized {
    /// A truth value.
    Bool,
    /// An integer.
    Int {
        /// Bits.
        width: u32,
        /// Has it a sign?
        signed: bool,
    },
    /// A floating-point number of so many bits.
    Float(u32),
}

/// The specialisation constants of a module: `SpecId` and type.
pub fn specializations(words: &[Word]) -> Vec<(u32, Specialized)> {
    let Ok(source) = Source::read(words) else { return Vec::new() };
    let ids: FxHashMap<Word, &Instruction> = source
        .instructions
        .iter()
        .filter_map(|instruction| Some((instruction.result_id?, instruction)))
        .collect();
    let constant = |instruction: &Instruction| {
        let [Operand::IdRef(id), Operand::Decoration(Decoration::SpecId), number] =
            source.operands_of(instruction)
        else {
            return None;
        };
        let Operand::LiteralBit32(number) = number else { return None };
        let ty = ids.get(&ids.get(id)?.result_type?)?;
        let ty = match (ty.opcode, source.operands_of(ty)) {
            (Opcode::TypeBool, _) => Specialized::Bool,
            (Opcode::TypeFloat, [Operand::LiteralBit32(width), ..]) => Specialized::Float(*width),
            (
                Opcode::TypeInt,
                [Operand::LiteralBit32(width), Operand::LiteralBit32(signed), ..],
            ) => Specialized::Int { width: *width, signed: *signed == 1 },
            _ => return None,
        };
        Some((*number, ty))
    };
    source.instructions.iter().filter_map(constant).collect()
}

impl Source<'_> {
    /// What shows that the end of the module is missing, if it is: instructions are whole, but functions are not there.
    fn missing(&self) -> Option<String> {
        let mut functions = FxHashSet::default();
        let mut open = None;
        let mut named = Vec::new();
        for (at, instruction) in self.instructions.iter().enumerate() {
            match instruction.opcode {
                Opcode::Function => {
                    open = instruction.result_id;
                    functions.extend(open);
                }
                Opcode::FunctionEnd => open = None,
                Opcode::EntryPoint => named.extend(self.id(at, 1).map(|id| (id, "OpEntryPoint"))),
                Opcode::FunctionCall => {
                    named.extend(self.id(at, 0).map(|id| (id, "OpFunctionCall")))
                }
                _ => {}
            }
        }
        let called = |id: &Word| match self.names.get(id) {
            Some(name) if !name.is_empty() => format!("%{id} \"{name}\""),
            _ => format!("%{id}"),
        };
        if let Some(id) = open {
            return Some(format!("the module ends within the function {}", called(&id)));
        }
        if functions.is_empty() {
            return Some("the module ends before its first function".to_owned());
        }
        // An id that is something else is of a module that is whole, and wrong.
        let absent = |id: Word| self.ids.get(id as usize).is_none_or(|known| known.is_new());
        // One above the bound of ids is defined, and that is said where it is.
        let absent = named.iter().find(|(id, _)| absent(*id) && !functions.contains(id));
        absent
            .map(|(id, who)| format!("the module ends before the function {} of {who}", called(id)))
    }
}

/// Where and why the grammar refuses the words.
#[cold]
pub(in crate::spirv) fn refused(state: &ParseState, words: &[Word]) -> NoModule {
    let mut counter = Counter(0);
    // It comes to the same instruction.
    let _ = parse_words(&words[..words::whole(words)], &mut counter);
    let (mut at, mut line) = (HEADER, None);
    for _ in 0..counter.0 {
        let first = words.get(at).copied().unwrap_or(0);
        match (first & 0xffff, words.get(at + 2)) {
            (op, Some(number)) if op == Opcode::Line as u32 => line = Some(*number),
            (op, _) if op == Opcode::NoLine as u32 => line = None,
            _ => {}
        }
        at += (first >> 16) as usize;
    }
    let first = words.get(at).copied().unwrap_or(0);
    let opcode = INSTRUCTION_TABLE.lookup_opcode(first & 0xffff).map(|class| class.opcode);
    let name = opcode.map_or_else(
        || format!("instruction {}", first & 0xffff),
        |opcode| format!("Op{}", words::name(opcode)),
    );
    let is_cut = words.len().saturating_sub(at) < (first >> 16) as usize;
    let what = match state {
        _ if words.len() < HEADER => {
            format!("a module begins with five words, and there are {}", words.len())
        }
        ParseState::HeaderIncomplete(_)
        | ParseState::HeaderIncorrect
        | ParseState::EndiannessUnsupported => {
            format!("the words begin with {:#010x}, a module with {MAGIC_NUMBER:#010x}", words[0])
        }
        ParseState::WordCountZero(..) => "an instruction of no words".to_owned(),
        ParseState::OpcodeUnknown(_, _, opcode) => {
            format!("no instruction has the number {opcode}")
        }
        _ if is_cut => format!(
            "{name} has {} words, and {} are left: the end of the module is missing",
            first >> 16,
            words.len() - at
        ),
        ParseState::OperandExpected(..)
        | ParseState::OperandError(DecodeError::LimitReached(_) | DecodeError::StreamExpected(_)) =>
        {
            format!("{name} lacks an operand")
        }
        ParseState::OperandExceeded(..) => format!("{name} has an operand too many"),
        ParseState::TypeUnsupported(..) => format!("{name} has a literal of a type that has none"),
        _ => format!("{name} has an operand that is not one of those that it may have"),
    };
    let byte = if words.len() < HEADER { 4 * words.len() } else { 4 * at };
    NoModule { byte, what, line }
}

/// How many instructions are read.
struct Counter(usize);

impl Consumer for Counter {
    fn initialize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn finalize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_header(&mut self, _: ModuleHeader) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_instruction(&mut self, _: dr::Instruction) -> ParseAction {
        self.0 += 1;
        ParseAction::Continue
    }
}

#[cfg(test)]
mod tests {
    use super::{entries, words_of};
    use crate::spirv::assemble::assemble;

    const MODULE: &str = include_str!("../../../../corpus/wgsl/clean/spirv_call.spvasm");

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn a_module_without_its_end_is_none_wherever_it_is_cut() {
        let words = assemble(MODULE).expect("it is understood");
        let whole = bytes(&words);
        assert_eq!(words_of(&whole).as_deref(), Ok(&words[..]));
        for end in 0..whole.len() {
            let no = words_of(&whole[..end]).expect_err("its end is missing");
            assert!(no.byte <= end, "{end}: {no}");
        }
        assert_eq!(entries(&words), ["main"]);
        for (version, is_read) in [
            (0x0001_0000, true),
            (0x0001_0600, true),
            (0x0001_0700, false),
            (0x0002_0000, false),
            (0x0001_0001, false),
            (0, false),
        ] {
            let words = [&words[..1], &[version], &words[2..]].concat();
            let read = words_of(&bytes(&words));
            assert_eq!(read.map_err(|no| no.byte).err(), (!is_read).then_some(4), "{version:#x}");
        }
    }

    #[test]
    fn words_may_come_big_end_first() {
        let words = assemble(MODULE).expect("it is understood");
        let big: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        assert_eq!(words_of(&big), Ok(words));
    }

    #[test]
    fn words_that_are_no_module_are_refused_with_their_place() {
        let words = assemble(MODULE).expect("it is understood");
        let refused = |at: usize, word: u32| {
            let mut words = words.clone();
            words[at] = word;
            words_of(&bytes(&words)).expect_err("it is no module").to_string()
        };
        // The first instruction is OpCapability Shader.
        assert_eq!(words[5..7], [2 << 16 | 17, 1]);
        for (at, word, said) in [
            (0, 7, "byte 0: the file begins with 0x00000007, a module with 0x07230203"),
            (3, u32::MAX, "byte 12: the bound of ids is 4294967295, and 4194304 is the most"),
            (5, 17, "byte 20: an instruction of no words"),
            (5, 2 << 16 | 0xfffe, "byte 20: no instruction has the number 65534"),
            (5, 1 << 16 | 17, "byte 20: OpCapability lacks an operand"),
            (5, 0xffff << 16 | 17, "byte 20: OpCapability has 65535 words"),
            (6, 0xffff, "byte 20: OpCapability has an operand that is not one"),
        ] {
            let refused = refused(at, word);
            assert!(refused.starts_with(said), "{refused}");
        }
    }
}
