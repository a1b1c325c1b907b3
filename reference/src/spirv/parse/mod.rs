//! From words to the executable form.
//!
//! `rspirv` reads the words ([`words`]) and knows the grammar of each instruction, along which most
//! modules are read without it ([`fast_reader`]). Then, each in its file: declarations become types,
//! constants and variables ([`declare`]); functions become blocks whose ids are defined, once, before
//! they are used ([`structure`]); and bodies become operations ([`body`], with [`arithmetic`],
//! [`conversions`] and [`functions`] for its tables).

mod arithmetic;
mod body;
mod composite;
mod constants;
mod control;
mod conversions;
mod declare;
mod estimates;
mod extended;
mod fast_reader;
mod functions;
mod geometry;
mod matrix;
mod memory;
pub mod outline;
mod packing;
mod pairs;
mod phis;
mod rounding;
pub mod shared;
mod structure;
mod subgroup;
mod variables;
pub(in crate::spirv) mod words;

pub(in crate::spirv) use estimates::HALF;
pub(in crate::spirv) use functions::{FINITE, ORDER, ORIGIN};

use super::bindings::Bound;
use super::excused::is_excused;
use super::ids::{ById, Id};
use super::rules::Rule;
use super::syntax::{Input, Module};
use super::types::Types;
use super::values::{Finding, LoadError, Place, Slot};
use crate::kit::derivation::Recorder;
use rspirv::spirv::Word;
use std::ops::Range;
use words::{Operand, Source};

/// Ids above this are refused: tables are as long as the greatest one.
const MAX_IDS: u32 = 1 << 22;

/// Slots of one value, of one function's variables, or of one frame.
const MAX_SLOTS: u32 = 1 << 22;

/// Why there is no module; in a box, for most answers are small.
type Refusal = Box<LoadError>;

/// What is read of a module.
type Read<T> = Result<T, Refusal>;

/// The rules that hold of a module as a whole.
const STRUCTURE: [Rule; 8] = [
    Rule::Physical,
    Rule::Ids,
    Rule::Dominance,
    Rule::Types,
    Rule::Blocks,
    Rule::Continue,
    Rule::Calls,
    Rule::Interface,
];

/// Reads a module of which the entry point `main` is to be executed.
///
/// # Errors
/// It breaks a structural rule, or is outside of the subset.
pub fn load(words: &[u32], main: &str, recorder: &mut Recorder<Rule>) -> Result<Module, LoadError> {
    specialized(words, main, &[], Floats::Nearest, recorder)
}

/// What an operation on floats gives that cannot be represented, or that a device may compute otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Floats {
    /// The nearest one.
    Nearest,
    /// The nearest one, and the slot is open. That takes an operation more for each operation.
    Open,
}

/// The same of a module some of whose specialisation constants are given, as `VkSpecializationInfo`
/// gives them to a pipeline: each by its `SpecId` and its bits, of a truth value 0 or 1. The others are
/// what the module says; a number that it does not have is passed over, as in Vulkan.
///
/// # Errors
/// As of [`load`], and a value that its constant's type does not hold.
pub fn specialized(
    words: &[u32],
    main: &str,
    constants: &[(u32, u64)],
    floats: Floats,
    recorder: &mut Recorder<Rule>,
) -> Result<Module, LoadError> {
    let loaded = read(words, main, (constants, floats)).map_err(|refusal| *refusal);
    for rule in STRUCTURE {
        recorder.fire(rule, 1);
    }
    recorder.fire(Rule::Specialize, constants.len() as u64);
    if let Err(LoadError::Invalid(finding)) = &loaded {
        recorder.fail(finding.rule, finding.premise);
    }
    loaded
}

fn read(words: &[u32], main: &str, (constants, floats): (&[(u32, u64)], Floats)) -> Read<Module> {
    let mut source = Source::read(words).map_err(|error| {
        let opcode = "the module".to_owned();
        let function = String::new();
        let no = outline::refused(&error, words);
        let place = Place { opcode, result: None, name: None, line: no.line, function };
        Refusal::new(LoadError::Invalid(Box::new(Finding {
            rule: Rule::Physical,
            premise: "words",
            place,
            invocation: None,
            text: match no.line {
                Some(_) => no.what,
                None => format!("the words are no module: {no}"),
            },
            origin: None,
            failed: None,
            clash: None,
            element: None,
            behind: None,
        })))
    })?;
    if source.bound > MAX_IDS {
        return Err(Refusal::new(LoadError::Unsupported(format!("{} ids", source.bound))));
    }
    let ids = std::mem::take(&mut source.ids);
    let mut reader = Reader::new(&source, ids, constants);
    reader.floats = floats;
    reader.declare(main)?;
    let functions = reader.structure()?;
    body::module(reader, functions)
}

/// What stands in a frame from the start, for all functions.
enum Fixed {
    /// A constant, whose value has these of [`Reader::slots`].
    Constant(Range<u32>),
    /// A global variable, which has this address.
    Global(u64),
}

/// What is known of the module while it is read.
struct Reader<'s> {
    source: &'s Source<'s>,
    /// Specialisation constants that are given: `SpecId` and bits.
    specialized: &'s [(u32, u64)],
    floats: Floats,
    types: Types,
    /// By their numbers.
    ids: Vec<Id>,
    /// What stands in a frame from the start, for all functions.
    fixed: ById<Fixed>,
    /// Values of constants.
    slots: Vec<Slot>,
    /// Is there a pointer among them, such as one that is null? It names whatever lies there.
    constant_pointers: bool,
    /// Import of GLSL.std.450.
    glsl: Word,
    entry: Word,
    size: [u32; 3],
    /// The instruction that gives it by constants.
    size_by_ids: Option<usize>,
    bound: Vec<Bound>,
    /// Cells in a word of a buffer.
    cells: u32,
    inputs: Vec<(Input, u32)>,
    own: Vec<Slot>,
    group: Vec<Slot>,
    /// Where its variables begin.
    group_variables: Vec<(u32, Word)>,
    decorations: ById<declare::Decorations>,
    /// How deeply types nest in the one that is declared.
    nesting: u32,
    /// Instructions from here on belong to functions.
    first_function: usize,
    /// Are there phis in functions?
    phis: bool,
    /// Ids of the functions, by number, while bodies are read: for reports.
    function: Word,
}

impl<'s> Reader<'s> {
    fn new(source: &'s Source<'s>, ids: Vec<Id>, specialized: &'s [(u32, u64)]) -> Self {
        Self {
            source,
            specialized,
            floats: Floats::Nearest,
            types: Types::below(source.bound),
            ids,
            fixed: ById::below(source.bound),
            slots: Vec::with_capacity(32),
            constant_pointers: false,
            glsl: 0,
            entry: 0,
            size: [1; 3],
            size_by_ids: None,
            bound: Vec::with_capacity(4),
            cells: 1,
            inputs: Vec::with_capacity(2),
            own: Vec::new(),
            group: Vec::new(),
            group_variables: Vec::new(),
            decorations: ById::below(source.bound),
            nesting: 0,
            first_function: source.instructions.len(),
            phis: false,
            function: 0,
        }
    }

    fn place(&self, at: usize) -> Place {
        let instruction = &self.source.instructions[at];
        let line = instruction.line;
        let id = self.source.named(at);
        Place {
            opcode: format!("Op{}", words::name(instruction.opcode)),
            result: id,
            name: id.and_then(|id| self.source.names.get(&id).cloned()),
            line: (line > 0).then_some(line),
            function: self.function_name(self.function),
        }
    }

    /// How reports call an id.
    #[cold]
    fn called(&self, id: Word) -> String {
        match self.source.names.get(&id) {
            Some(name) if !name.is_empty() => format!("%{name}"),
            _ => format!("%{id}"),
        }
    }

    fn function_name(&self, id: Word) -> String {
        match self.source.names.get(&id) {
            Some(name) => name.clone(),
            None if id == 0 => String::new(),
            None => format!("%{id}"),
        }
    }

    /// The instruction breaks a structural rule, which is excused where it is a known fault of the module's compiler.
    #[cold]
    fn invalid_unless_excused(
        &self,
        at: usize,
        rule: Rule,
        premise: &'static str,
        text: &str,
    ) -> Read<()> {
        match is_excused(self.source.generator(), rule, premise) {
            true => Ok(()),
            false => Err(self.invalid(at, rule, premise, text)),
        }
    }

    /// The instruction breaks a structural rule.
    #[cold]
    fn invalid(&self, at: usize, rule: Rule, premise: &'static str, text: &str) -> Refusal {
        let place = self.place(at);
        Refusal::new(LoadError::Invalid(Box::new(Finding {
            rule,
            premise,
            place,
            invocation: None,
            text: text.to_owned(),
            origin: None,
            failed: None,
            clash: None,
            element: None,
            behind: None,
        })))
    }

    /// Its types do not fit.
    #[cold]
    fn ill_typed(&self, at: usize, text: &str) -> Refusal {
        self.invalid(at, Rule::Types, "type", text)
    }

    #[cold]
    fn no_value(&self, at: usize, id: Word) -> Refusal {
        self.ill_typed(at, &format!("{} has no value", self.called(id)))
    }

    /// It is outside of the subset.
    #[cold]
    fn unsupported(&self, at: usize, what: &str) -> Refusal {
        let text = self.source.disassembled(at);
        let separator = if what.is_empty() { "" } else { ": " };
        let line = match self.source.instructions[at].line {
            0 => String::new(),
            line => format!(", line {line}"),
        };
        Refusal::new(LoadError::Unsupported(format!("`{text}`{separator}{what}{line}")))
    }

    /// The id that is its operand number `n`.
    #[inline]
    fn id(&self, at: usize, n: usize) -> Read<Word> {
        self.source.id(at, n).ok_or_else(|| self.missing(at))
    }

    #[cold]
    fn missing(&self, at: usize) -> Refusal {
        self.invalid(at, Rule::Physical, "words", "an operand is missing")
    }

    /// The number that is its operand number `n`.
    fn literal(&self, at: usize, n: usize) -> Read<u32> {
        match self.source.operands(at).get(n) {
            Some(Operand::LiteralBit32(k) | Operand::LiteralExtInstInteger(k)) => Ok(*k),
            _ => Err(self.missing(at)),
        }
    }

    /// The ids among its operands, from number `n` on.
    fn ids(&self, at: usize, n: usize) -> Read<Vec<Word>> {
        (n..self.source.operands(at).len()).map(|n| self.id(at, n)).collect()
    }

    /// The value of an id that is a constant.
    fn known_value(&self, id: Word) -> Option<&[Slot]> {
        match self.fixed.get(id)? {
            Fixed::Constant(Range { start, end }) => self.slots.get(*start as usize..*end as usize),
            Fixed::Global(_) => None,
        }
    }

    /// The address of an id that is a global variable.
    fn address(&self, id: Word) -> Option<u64> {
        match self.fixed.get(id)? {
            Fixed::Constant(_) => None,
            Fixed::Global(address) => Some(*address),
        }
    }

    /// The value of an integer constant of 32 bits.
    fn constant(&self, at: usize, id: Word) -> Read<u32> {
        match self.known_value(id) {
            Some([slot]) if slot.origin == 0 => Ok(slot.bits as u32),
            _ => Err(self.ill_typed(at, &format!("{} is no constant integer", self.called(id)))),
        }
    }
}
