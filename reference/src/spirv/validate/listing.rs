//! The instructions of a module, by the grammar of `rspirv`, with tables of what ids are.

use rspirv::grammar::{self, INSTRUCTION_TABLE, OperandKind, OperandQuantifier};
use rspirv::spirv::{Decoration, Op, StorageClass, Word};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The grammar of an instruction.
pub(super) type Class = &'static grammar::Instruction<'static>;

/// An instruction.
#[derive(Clone, Copy)]
pub(super) struct Instruction<'w> {
    pub(super) op: Op,
    pub(super) class: Class,
    /// The type of its result, or 0.
    pub(super) ty: Word,
    /// The id that it defines, or 0.
    pub(super) id: Word,
    /// Its words behind these.
    pub(super) operands: &'w [u32],
    /// The line of the source, or 0.
    pub(super) line: u32,
    /// The function that it stands in, or 0.
    pub(super) function: Word,
}

impl Instruction<'_> {
    pub(super) fn name(&self) -> &'static str {
        self.class.opname.trim_start_matches("Op")
    }

    /// Operand number `n` behind type and result, or 0, which is no id.
    pub(super) fn operand(&self, n: usize) -> u32 {
        self.operands.get(n).copied().unwrap_or(0)
    }

    /// The kinds of its operands behind type and result. Behind a string, whose length is its own, there are none.
    pub(super) fn kinds(&self) -> impl Iterator<Item = OperandKind> {
        let behind = self.class.operands.iter().filter(|operand| {
            !matches!(operand.kind, OperandKind::IdResultType | OperandKind::IdResult)
        });
        behind
            .take_while(|operand| operand.quantifier == OperandQuantifier::One)
            .map(|operand| operand.kind)
            .take_while(|kind| *kind != OperandKind::LiteralString)
    }

    /// The ids among its operands, as far as its grammar says which words are ids; behind an operand that may be left out or
    /// repeated, the others too if they are of that kind.
    pub(super) fn ids(&self) -> impl Iterator<Item = Word> {
        let behind = self.class.operands.iter().filter(|operand| {
            !matches!(operand.kind, OperandKind::IdResultType | OperandKind::IdResult)
        });
        let mut behind = behind.peekable();
        self.operands.iter().filter_map(move |word| {
            let kind = match behind.peek()? {
                operand if operand.quantifier == OperandQuantifier::ZeroOrMore => operand.kind,
                _ => behind.next()?.kind,
            };
            let is_id = matches!(
                kind,
                OperandKind::IdRef
                    | OperandKind::IdScope
                    | OperandKind::IdMemorySemantics
                    | OperandKind::PairIdRefIdRef
            );
            is_id.then_some(*word)
        })
    }

    /// Is its first operand an id?
    pub(super) fn begins_with_id(&self) -> bool {
        self.kinds().next() == Some(OperandKind::IdRef)
    }
}

/// A decoration of an id, or of a member.
#[derive(Clone, Copy)]
pub(super) struct Decorated {
    /// Its first literal, or 0.
    pub(super) value: u32,
    /// Another instruction that says the same decoration.
    pub(super) again: Option<usize>,
}

/// A module.
pub(super) struct Listing<'w> {
    /// Major and minor number of the version, in the two middle bytes.
    pub(super) version: u32,
    /// Its instructions, but those that give lines.
    pub(super) all: Vec<Instruction<'w>>,
    /// Where ids are defined.
    defined: FxHashMap<Word, usize>,
    /// Names of ids.
    pub(super) names: FxHashMap<Word, String>,
    /// The instructions of each function, from `OpFunction` to `OpFunctionEnd`.
    pub(super) functions: Vec<Range<usize>>,
    /// By id and decoration.
    decorations: FxHashMap<(Word, u32), Decorated>,
    /// By id, member and decoration.
    members: FxHashMap<(Word, u32, u32), Decorated>,
}

impl<'w> Listing<'w> {
    /// Reads the words; none if they are no module.
    pub(super) fn read(words: &'w [u32]) -> Option<Self> {
        let mut listing = Self {
            version: *words.get(1)?,
            all: Vec::new(),
            defined: FxHashMap::default(),
            names: FxHashMap::default(),
            functions: Vec::new(),
            decorations: FxHashMap::default(),
            members: FxHashMap::default(),
        };
        let mut classes: FxHashMap<u32, Class> = FxHashMap::default();
        let mut rest = words.get(5..)?;
        let (mut line, mut function, mut start) = (0, 0, 0);
        while let Some(first) = rest.first() {
            let count = (first >> 16) as usize;
            let words = rest.get(1..count)?;
            rest = &rest[count..];
            let class = match classes.get(&(first & 0xffff)) {
                Some(class) => *class,
                None => INSTRUCTION_TABLE.lookup_opcode(first & 0xffff)?,
            };
            classes.insert(first & 0xffff, class);
            let at = listing.all.len();
            match class.opcode {
                Op::Line => line = *words.get(1)?,
                Op::NoLine => line = 0,
                Op::Nop => {}
                op => {
                    let (ty, words) = taken(class, OperandKind::IdResultType, words)?;
                    let (id, operands) = taken(class, OperandKind::IdResult, words)?;
                    if op == Op::Function {
                        (function, start) = (id, at);
                    }
                    listing.all.push(Instruction { op, class, ty, id, operands, line, function });
                    if id != 0 {
                        listing.defined.entry(id).or_insert(at);
                    }
                    if op == Op::FunctionEnd {
                        listing.functions.push(start..at + 1);
                        function = 0;
                    }
                    listing.note(at);
                }
            }
        }
        (function == 0 && !listing.all.is_empty()).then_some(listing)
    }
}

/// The first word, if the instruction has an operand of this kind there, or 0; and the words behind it.
fn taken(class: Class, kind: OperandKind, words: &[u32]) -> Option<(Word, &[u32])> {
    match class.operands.iter().any(|operand| operand.kind == kind) {
        true => words.split_first().map(|(first, rest)| (*first, rest)),
        false => Some((0, words)),
    }
}

impl Listing<'_> {
    /// What an instruction says of ids.
    fn note(&mut self, at: usize) {
        let Instruction { op, operands, .. } = self.all[at];
        let decorated =
            |value: Option<&u32>| Decorated { value: value.copied().unwrap_or(0), again: None };
        match (op, operands) {
            (Op::Name, [id, name @ ..]) => {
                self.names.insert(*id, string(name));
            }
            (Op::Decorate, [id, decoration, values @ ..]) => {
                let known = self.decorations.entry((*id, *decoration));
                known
                    .and_modify(|known| known.again = Some(at))
                    .or_insert(decorated(values.first()));
            }
            (Op::MemberDecorate, [id, member, decoration, values @ ..]) => {
                let known = self.members.entry((*id, *member, *decoration));
                known
                    .and_modify(|known| known.again = Some(at))
                    .or_insert(decorated(values.first()));
            }
            _ => {}
        }
    }

    /// The instruction that defines an id.
    pub(super) fn definition(&self, id: Word) -> Option<&Instruction<'_>> {
        self.defined.get(&id).map(|at| &self.all[*at])
    }

    /// Its number.
    pub(super) fn number_of(&self, id: Word) -> Option<usize> {
        self.defined.get(&id).copied()
    }

    /// The type of the value that an id is.
    pub(super) fn type_of(&self, id: Word) -> Option<&Instruction<'_>> {
        self.definition(self.definition(id)?.ty)
    }

    /// The storage class of a pointer type and what it points to.
    pub(super) fn pointer(&self, ty: Word) -> Option<(StorageClass, Word)> {
        match self.definition(ty) {
            Some(Instruction { op: Op::TypePointer, operands: [class, pointee, ..], .. }) => {
                Some((StorageClass::from_u32(*class)?, *pointee))
            }
            _ => None,
        }
    }

    /// The same of a value that is a pointer.
    pub(super) fn pointer_of(&self, id: Word) -> Option<(StorageClass, Word)> {
        self.pointer(self.definition(id)?.ty)
    }

    /// The value of an integer constant, which of one that is specialised is its usual one.
    pub(super) fn constant(&self, id: Word) -> Option<u64> {
        let constant = self.definition(id)?;
        match (constant.op, constant.operands) {
            (Op::ConstantNull, _) => Some(0),
            (Op::Constant | Op::SpecConstant, [low]) => Some(u64::from(*low)),
            (Op::Constant | Op::SpecConstant, [low, high]) => {
                Some(u64::from(*high) << 32 | u64::from(*low))
            }
            _ => None,
        }
    }

    /// What a decoration says of an id.
    pub(super) fn said(&self, id: Word, decoration: Decoration) -> Option<Decorated> {
        self.decorations.get(&(id, decoration as u32)).copied()
    }

    /// What a decoration says of a member.
    pub(super) fn said_of(&self, id: Word, member: u32, decoration: Decoration) -> Option<u32> {
        self.members.get(&(id, member, decoration as u32)).map(|it| it.value)
    }

    /// Decorations that are said twice: the decoration, and the instruction that says it again, in no order.
    pub(super) fn said_again(&self) -> impl Iterator<Item = (u32, usize)> {
        let ids = self.decorations.iter().map(|((_, decoration), it)| (*decoration, it.again));
        let members = self.members.iter().map(|((_, _, decoration), it)| (*decoration, it.again));
        ids.chain(members).filter_map(|(decoration, again)| Some((decoration, again?)))
    }

    /// How reports call an id.
    pub(super) fn called(&self, id: Word) -> String {
        match self.names.get(&id) {
            Some(name) if !name.is_empty() => format!("%{name}"),
            _ => format!("%{id}"),
        }
    }
}

/// The text of words, up to its zero.
pub(super) fn string(words: &[u32]) -> String {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    let bytes: Vec<u8> = bytes.take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// How many words a string takes, with its zero.
pub(super) fn string_words(words: &[u32]) -> usize {
    let ends = |word: &u32| word.to_le_bytes().contains(&0);
    words.iter().position(ends).map_or(words.len(), |at| at + 1)
}
