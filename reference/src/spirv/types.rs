//! Types of a module, with how many slots a value takes and where it lies in a buffer.
//!
//! A *slot* holds one scalar component or one pointer. A *word* is 32 bits of a buffer. A scalar that does not
//! begin at a multiple of its bytes, or of four if it has more, is refused.

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
    /// An integer of 8, 16, 32 or 64 bits.
    Int {
        /// Bits.
        width: u32,
        /// Is it signed?
        signed: bool,
    },
    /// A number of 16, 32 or 64 bits.
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
    /// Columns of floating-point numbers.
    Matrix {
        /// Type of a column, a vector.
        column: Word,
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

/// The bits of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Width {
    W8,
    W16,
    W32,
    W64,
}

impl Width {
    /// That of so many bits, if there is one.
    pub(super) fn of(bits: u32) -> Option<Self> {
        Some(match bits {
            8 => Width::W8,
            16 => Width::W16,
            32 => Width::W32,
            64 => Width::W64,
            _ => return None,
        })
    }

    pub(super) fn bits(self) -> u32 {
        8 << self as u32
    }

    /// All ones.
    pub(super) fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }
}

/// Bytes that a value takes in a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// So many at least: of an array up to the end of the buffer one element counts.
    pub least: u32,
    /// Those of such an element, if there is one.
    pub step: Option<u32>,
}

/// What the numbers of a buffer are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// Integers without a sign.
    Unsigned,
    /// Integers with one.
    Signed,
    /// Floating-point numbers.
    Float,
    /// Those of 16 bits.
    Half,
}

/// The scalars that a value consists of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scalars {
    pub(super) scalar: Scalar,
    /// The bits of each; of a truth value as of a number of 32 bits.
    pub(super) width: Width,
    /// How many.
    pub(super) count: u32,
}

/// How the matrices in a member of a structure lie in a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Matrices {
    /// Bytes between columns, or between rows.
    stride: u32,
    /// Do the components of a row lie side by side, and not those of a column?
    by_rows: bool,
}

/// A scalar in a buffer: which slot of the value, and where behind the pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Slot of the value.
    pub slot: u32,
    /// Word behind the pointer.
    pub word: u32,
    /// Does it take two words?
    pub wide: bool,
    /// The byte in the word at which it begins.
    pub byte: u8,
    /// How many bytes it has.
    pub bytes: u8,
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
    /// How the matrices in a member of a struct lie.
    matrices: BTreeMap<u32, Matrices>,
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
    /// As [`Types::bytes`] has it.
    bytes: [u32; 2],
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

    /// There are so many bytes between the columns of the matrices in a member of a struct.
    pub(super) fn lay_matrices(&mut self, id: Word, member: u32, stride: u32) {
        if let Some(laid) = self.laid.entry(id) {
            laid.matrices.entry(member).or_default().stride = stride;
        }
    }

    /// It is so many between their rows.
    pub(super) fn lay_by_rows(&mut self, id: Word, member: u32) {
        if let Some(laid) = self.laid.entry(id) {
            laid.matrices.entry(member).or_default().by_rows = true;
        }
    }

    /// How the matrices in a member of a struct lie.
    pub(super) fn matrices(&self, id: Word, member: u32) -> Option<Matrices> {
        self.laid.get(id)?.matrices.get(&member).copied()
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
        let bytes = self.bytes_of(&ty);
        self.types
            .insert(id, Known { ty, slots, scalars, nesting, holds_pointer, laid_out, bytes });
    }

    /// Bytes of the smallest scalar of a value and of its largest one, of each at most four.
    pub(super) fn bytes(&self, id: Word) -> [u32; 2] {
        self.types.get(id).map_or([4; 2], |known| known.bytes)
    }

    fn bytes_of(&self, ty: &Type) -> [u32; 2] {
        match ty {
            Type::Int { width, .. } | Type::Float { width } => [(width / 8).min(4); 2],
            Type::Vector { element, .. }
            | Type::Array { element, .. }
            | Type::RuntimeArray { element }
            | Type::Matrix { column: element, .. } => self.bytes(*element),
            Type::Struct { members } => {
                let all = members.iter().map(|member| self.bytes(*member));
                all.reduce(|[a, b], [c, d]| [a.min(c), b.max(d)]).unwrap_or([4; 2])
            }
            _ => [4; 2],
        }
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
            Type::Vector { element, count }
            | Type::Array { element, count }
            | Type::Matrix { column: element, count } => {
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
        let one = |scalar, bits| Some(Scalars { scalar, width: Width::of(bits)?, count: 1 });
        match *ty {
            Type::Bool => one(Scalar::Bool, 32),
            Type::Int { width, .. } => one(Scalar::Int, width),
            Type::Float { width } => one(Scalar::Float, width),
            Type::Vector { element, count } => match self.get(element)? {
                Type::Bool | Type::Int { .. } | Type::Float { .. } => {
                    Some(Scalars { count, ..self.scalars(element)? })
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Is it a vector of two to four floating-point numbers?
    pub(super) fn is_vector_of_floats(&self, id: Word) -> bool {
        self.scalars(id).is_some_and(|it| it.scalar == Scalar::Float && (2..=4).contains(&it.count))
    }

    /// The scalar of which a value consists or whose vector it is, and how many components.
    pub fn components(&self, id: Word) -> Option<(&Type, u32)> {
        match self.get(id)? {
            Type::Vector { element, count } => Some((self.get(*element)?, *count)),
            scalar @ (Type::Bool | Type::Int { .. } | Type::Float { .. }) => Some((scalar, 1)),
            _ => None,
        }
    }

    /// Bytes between the parts of an array, a vector or a matrix in a buffer, where matrices lie as this
    /// says.
    pub fn stride(&self, id: Word, matrices: Option<Matrices>) -> Option<u32> {
        let (part, bytes) = match (self.get(id)?, matrices) {
            (Type::Matrix { column, .. }, Some(Matrices { by_rows: true, .. })) => {
                return self.stride(*column, None);
            }
            (Type::Matrix { column, .. }, by_columns) => (column, by_columns?.stride),
            // A column of a matrix.
            (Type::Vector { element, .. }, Some(Matrices { by_rows: true, stride })) => {
                (element, stride)
            }
            (Type::Vector { element, .. }, _) => (element, self.width(*element)? / 8),
            (Type::Array { element, .. } | Type::RuntimeArray { element }, _) => {
                (element, self.laid.get(id)?.stride?)
            }
            _ => return None,
        };
        (bytes > 0 && self.may_begin_at(*part, bytes)).then_some(bytes)
    }

    /// Bytes before a member of a struct in a buffer.
    pub fn offset(&self, id: Word, member: u32) -> Option<u32> {
        let bytes = *self.laid.get(id)?.offsets.get(&member)?;
        let of = match self.get(id)? {
            Type::Struct { members } => *members.get(member as usize)?,
            _ => return None,
        };
        self.may_begin_at(of, bytes).then_some(bytes)
    }

    /// Does each scalar of a value begin where one of its size may, if the value begins at this byte?
    fn may_begin_at(&self, id: Word, byte: u32) -> bool {
        byte.is_multiple_of(self.bytes(id)[1])
    }

    fn width(&self, id: Word) -> Option<u32> {
        match self.get(id)? {
            Type::Int { width, .. } | Type::Float { width } => Some(*width),
            _ => None,
        }
    }

    /// How many bytes a value takes in a buffer, as far as it is laid out.
    pub(super) fn extent(&self, id: Word, matrices: Option<Matrices>) -> Extent {
        let known = |least| Extent { least, step: None };
        // Of what has no scalars there may be any number.
        if self.slots(id) == Some(0) {
            return known(0);
        }
        match self.get(id) {
            Some(Type::Int { width, .. } | Type::Float { width }) => known(width / 8),
            Some(
                Type::Vector { element, count }
                | Type::Array { element, count }
                | Type::Matrix { column: element, count },
            ) => {
                let (part, stride) = (self.extent(*element, matrices), self.stride(id, matrices));
                let others = count.saturating_sub(1).saturating_mul(stride.unwrap_or(part.least));
                known(part.least.saturating_add(others))
            }
            Some(Type::RuntimeArray { element }) => {
                let stride = self.stride(id, matrices);
                let step = stride.unwrap_or_else(|| self.extent(*element, matrices).least);
                Extent { least: step, step: Some(step) }
            }
            Some(Type::Struct { members }) => {
                let members = (0..).zip(members).map(|(i, member)| {
                    let Extent { least, step } = self.extent(*member, self.matrices(id, i));
                    Extent { least: self.offset(id, i).unwrap_or(0).saturating_add(least), step }
                });
                let longest = |a: Extent, b: Extent| Extent {
                    least: a.least.max(b.least),
                    step: a.step.or(b.step),
                };
                members.reduce(longest).unwrap_or_default()
            }
            _ => Extent::default(),
        }
    }

    /// What the numbers of a value are; of a structure those of its last member.
    pub(super) fn numbers(&self, id: Word) -> Numbers {
        match self.get(id) {
            Some(Type::Int { signed: true, .. }) => Numbers::Signed,
            Some(Type::Float { width: 16 }) => Numbers::Half,
            Some(Type::Float { .. }) => Numbers::Float,
            Some(
                Type::Vector { element, .. }
                | Type::Array { element, .. }
                | Type::RuntimeArray { element }
                | Type::Matrix { column: element, .. },
            ) => self.numbers(*element),
            Some(Type::Struct { members }) => {
                members.last().map_or(Numbers::Unsigned, |member| self.numbers(*member))
            }
            _ => Numbers::Unsigned,
        }
    }

    /// Where the scalars of a value lie in a buffer; `None` if it is not laid out.
    pub fn leaves(&self, id: Word, matrices: Option<Matrices>) -> Option<Vec<Leaf>> {
        let mut leaves = Vec::with_capacity(self.slots(id)?.min(16) as usize);
        self.add_leaves((id, matrices), 0, &mut 0, &mut leaves)?;
        Some(leaves)
    }

    fn add_leaves(
        &self,
        (id, matrices): (Word, Option<Matrices>),
        byte: u32,
        slot: &mut u32,
        into: &mut Vec<Leaf>,
    ) -> Option<()> {
        // Of what has no scalars there may be any number.
        if self.slots(id) == Some(0) {
            return Some(());
        }
        match self.get(id)? {
            Type::Int { width, .. } | Type::Float { width } => {
                into.push(Leaf {
                    slot: *slot,
                    word: byte / 4,
                    wide: *width == 64,
                    byte: (byte % 4) as u8,
                    bytes: (*width / 8) as u8,
                });
                *slot += 1;
            }
            Type::Vector { element, count }
            | Type::Array { element, count }
            | Type::Matrix { column: element, count } => {
                let stride = self.stride(id, matrices)?;
                for i in 0..*count {
                    let byte = byte.checked_add(i.checked_mul(stride)?)?;
                    self.add_leaves((*element, matrices), byte, slot, into)?;
                }
            }
            Type::Struct { members } => {
                for (i, member) in (0..).zip(members) {
                    let byte = byte.checked_add(self.offset(id, i)?)?;
                    self.add_leaves((*member, self.matrices(id, i)), byte, slot, into)?;
                }
            }
            _ => return None,
        }
        Some(())
    }
}
