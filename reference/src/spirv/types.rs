//! Types of a module, with how many slots a value takes and where it lies in a buffer.
//!
//! A *slot* holds one scalar component or one pointer. A *word* is 32 bits of a buffer; what is
//! not laid out in whole words is refused.

use super::ids::ById;
use rspirv::spirv::{StorageClass, Word};
use std::collections::BTreeMap;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// No value.
    Void,
    /// A truth value.
    Bool,
    /// An integer of 32 or 64 bits.
    Int {
        /// Bits.
        width: u32,
        /// Is it signed?
        signed: bool,
    },
    /// A number of 32 or 64 bits.
    Float {
        /// Bits.
        width: u32,
    },
    /// Components of a scalar type.
    Vector {
        /// Type of a component.
        element: Word,
        /// How many.
        count: u32,
    },
    /// Elements, so many of them.
    Array {
        /// Type of an element.
        element: Word,
        /// How many.
        count: u32,
    },
    /// Elements up to the end of the buffer.
    RuntimeArray {
        /// Type of an element.
        element: Word,
    },
    /// Members.
    Struct {
        /// Their types.
        members: Vec<Word>,
    },
    /// A pointer.
    Pointer {
        /// Where to.
        class: StorageClass,
        /// To what.
        pointee: Word,
    },
    /// A function.
    Function {
        /// What it returns.
        result: Word,
        /// Types of its parameters.
        params: Vec<Word>,
    },
}

/// What kind of scalar a type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    Bool,
    Int,
    Float,
}

/// The scalars that a value consists of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scalars {
    pub(super) scalar: Scalar,
    /// Has each 64 bits?
    pub(super) wide: bool,
    /// How many.
    pub(super) count: u32,
}

/// A scalar in a buffer: which slot of the value, and which word behind the pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Slot of the value.
    pub slot: u32,
    /// Word behind the pointer.
    pub word: u32,
    /// Does it take two words?
    pub wide: bool,
}

/// Types by their ids, and the decorations that lay them out.
#[derive(Clone, Debug, Default)]
pub struct Types {
    types: ById<Known>,
    laid: ById<Laid>,
}

/// What decorations say of where the parts of a type lie.
#[derive(Clone, Debug, Default, PartialEq)]
struct Laid {
    /// Bytes between elements of an array.
    stride: Option<u32>,
    /// Bytes before a member of a struct. A module may name any member, in any order.
    offsets: BTreeMap<u32, u32>,
}

/// A type, and what is asked of it over and over.
#[derive(Clone, Debug)]
struct Known {
    ty: Type,
    /// As [`Types::slots`] has it.
    slots: Option<u32>,
    /// As [`Types::scalars`] has it.
    scalars: Option<Scalars>,
    /// How deeply others nest in it.
    nesting: u32,
    /// As [`Types::holds_pointer`] has it.
    holds_pointer: bool,
    /// As [`Types::is_laid_out`] has it.
    laid_out: bool,
}

impl Types {
    /// For ids below this.
    pub(super) fn below(bound: Word) -> Self {
        Self { types: ById::below(bound), laid: ById::below(bound) }
    }

    /// There are so many bytes between elements of an array.
    pub(super) fn lay_elements(&mut self, id: Word, stride: u32) {
        // Nothing asks for an id that is not below the bound: it cannot be defined.
        if let Some(laid) = self.laid.entry(id) {
            laid.stride = Some(stride);
        }
    }

    /// There are so many bytes before a member of a struct. The later one counts.
    pub(super) fn lay_member(&mut self, id: Word, member: u32, offset: u32) {
        if let Some(laid) = self.laid.entry(id) {
            laid.offsets.insert(member, offset);
        }
    }

    /// Those that it names are there; how deeply they nest in it.
    pub(super) fn insert(&mut self, id: Word, ty: Type, nesting: u32) {
        let (slots, scalars) = (self.reckoned(&ty), self.scalars_of(&ty));
        let holds_pointer = match &ty {
            Type::Pointer { .. } => true,
            Type::Array { element, .. } | Type::Vector { element, .. } => {
                self.holds_pointer(*element)
            }
            Type::Struct { members } => members.iter().any(|id| self.holds_pointer(*id)),
            _ => false,
        };
        let own = self.laid.get(id).is_some_and(|laid| *laid != Laid::default());
        let laid_out = own
            || match &ty {
                Type::Array { element, .. } => self.is_laid_out(*element),
                Type::Struct { members } => members.iter().any(|id| self.is_laid_out(*id)),
                _ => false,
            };
        self.types.insert(id, Known { ty, slots, scalars, nesting, holds_pointer, laid_out });
    }

    /// The type with this id.
    pub fn get(&self, id: Word) -> Option<&Type> {
        self.types.get(id).map(|known| &known.ty)
    }

    /// Slots of a value; `None` of what has no value of known size.
    pub fn slots(&self, id: Word) -> Option<u32> {
        self.types.get(id)?.slots
    }

    fn reckoned(&self, ty: &Type) -> Option<u32> {
        Some(match ty {
            Type::Void => 0,
            Type::Bool | Type::Int { .. } | Type::Float { .. } | Type::Pointer { .. } => 1,
            Type::Vector { element, count } | Type::Array { element, count } => {
                self.slots(*element)?.checked_mul(*count)?
            }
            Type::Struct { members } => {
                members.iter().try_fold(0u32, |sum, m| sum.checked_add(self.slots(*m)?))?
            }
            Type::RuntimeArray { .. } | Type::Function { .. } => return None,
        })
    }

    /// Is there a pointer in a value?
    pub(super) fn holds_pointer(&self, id: Word) -> bool {
        self.types.get(id).is_some_and(|known| known.holds_pointer)
    }

    /// Do decorations say where the parts of a value lie, or the parts of those? A pointer is laid out
    /// apart from what it points to.
    pub(super) fn is_laid_out(&self, id: Word) -> bool {
        self.types.get(id).is_some_and(|known| known.laid_out)
    }

    /// How deeply other types nest in this one.
    pub(super) fn nesting(&self, id: Word) -> u32 {
        self.types.get(id).map_or(0, |known| known.nesting)
    }

    /// The scalars of a scalar or of a vector of them.
    #[inline]
    pub(super) fn scalars(&self, id: Word) -> Option<Scalars> {
        self.types.get(id)?.scalars
    }

    fn scalars_of(&self, ty: &Type) -> Option<Scalars> {
        let one = |scalar, wide| Some(Scalars { scalar, wide, count: 1 });
        match *ty {
            Type::Bool => one(Scalar::Bool, false),
            Type::Int { width, .. } => one(Scalar::Int, width == 64),
            Type::Float { width } => one(Scalar::Float, width == 64),
            Type::Vector { element, count } => match self.get(element)? {
                Type::Bool | Type::Int { .. } | Type::Float { .. } => {
                    Some(Scalars { count, ..self.scalars(element)? })
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The scalar of which a value consists or whose vector it is, and how many components.
    pub fn components(&self, id: Word) -> Option<(&Type, u32)> {
        match self.get(id)? {
            Type::Vector { element, count } => Some((self.get(*element)?, *count)),
            scalar @ (Type::Bool | Type::Int { .. } | Type::Float { .. }) => Some((scalar, 1)),
            _ => None,
        }
    }

    /// Words between elements of an array or vector in a buffer.
    pub fn stride(&self, id: Word) -> Option<u32> {
        match self.get(id)? {
            Type::Vector { element, .. } => Some(self.width(*element)? / 32),
            _ => {
                let bytes = self.laid.get(id)?.stride?;
                (bytes % 4 == 0 && bytes > 0).then_some(bytes / 4)
            }
        }
    }

    /// Words before a member of a struct in a buffer.
    pub fn offset(&self, id: Word, member: u32) -> Option<u32> {
        let bytes = *self.laid.get(id)?.offsets.get(&member)?;
        (bytes % 4 == 0).then_some(bytes / 4)
    }

    fn width(&self, id: Word) -> Option<u32> {
        match self.get(id)? {
            Type::Int { width, .. } | Type::Float { width } => Some(*width),
            _ => None,
        }
    }

    /// Where the scalars of a value lie in a buffer; `None` if it is not laid out.
    pub fn leaves(&self, id: Word) -> Option<Vec<Leaf>> {
        let mut leaves = Vec::with_capacity(self.slots(id)?.min(16) as usize);
        self.add_leaves(id, 0, &mut 0, &mut leaves)?;
        Some(leaves)
    }

    fn add_leaves(&self, id: Word, word: u32, slot: &mut u32, into: &mut Vec<Leaf>) -> Option<()> {
        // Of what has no scalars there may be any number.
        if self.slots(id) == Some(0) {
            return Some(());
        }
        match self.get(id)? {
            Type::Int { width, .. } | Type::Float { width } => {
                into.push(Leaf { slot: *slot, word, wide: *width == 64 });
                *slot += 1;
            }
            Type::Vector { element, count } | Type::Array { element, count } => {
                let stride = self.stride(id)?;
                for i in 0..*count {
                    self.add_leaves(*element, word + i * stride, slot, into)?;
                }
            }
            Type::Struct { members } => {
                for (i, member) in members.iter().enumerate() {
                    let offset = self.offset(id, i as u32)?;
                    self.add_leaves(*member, word + offset, slot, into)?;
                }
            }
            _ => return None,
        }
        Some(())
    }
}
