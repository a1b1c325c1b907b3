//! Loads, stores, access chains, atomics.

use super::arithmetic::int;
use super::body::{Body, Here, Value};
use super::{Floats, Read};
use crate::spirv::rules::Rule;
use crate::spirv::syntax::{At, Atomic, AtomicKind, NONE, Op, Space};
use crate::spirv::types::{Matrices, Type, Width};
use crate::spirv::values::{Slot, byte_of_word};
use rspirv::spirv::{Op as Opcode, StorageClass, Word};
use rustc_hash::FxHashMap;

/// What is known of pointers besides their types.
#[derive(Default)]
pub(super) struct Pointers {
    /// To components of vectors of the group: where the vector stands, and how many it has.
    components: FxHashMap<Word, (At, u32)>,
    /// Into buffers: how the matrices there lie.
    matrices: FxHashMap<Word, Matrices>,
}

/// The memory of a storage class.
fn space(class: StorageClass) -> Option<Space> {
    Some(match class {
        StorageClass::Function | StorageClass::Private | StorageClass::Input => Space::Own,
        StorageClass::Workgroup => Space::Group,
        StorageClass::StorageBuffer | StorageClass::Uniform | StorageClass::PushConstant => {
            Space::Buffer
        }
        _ => return None,
    })
}

impl Body<'_> {
    /// A pointer's memory and the type of what it points to.
    #[inline]
    fn pointer(&self, at: &Here<'_>, ty: Word) -> Read<(Space, Word)> {
        match self.reader.types.get(ty) {
            Some(Type::Pointer { class, pointee }) => match space(*class) {
                Some(space) => Ok((space, *pointee)),
                None => {
                    Err(self.reader.unsupported(at.number, &format!("memory of class {class:?}")))
                }
            },
            _ => Err(self.reader.ill_typed(at.number, "a pointer is asked for")),
        }
    }

    /// The type of what a pointer of this type points to.
    pub(super) fn pointee(&self, at: &Here<'_>, ty: Word) -> Read<Word> {
        Ok(self.pointer(at, ty)?.1)
    }

    pub(super) fn load(&mut self, at: &Here<'_>) -> Read<Rule> {
        let Value { at: pointer, ty } = self.operand(at, 0)?;
        let (space, pointee) = self.pointer(at, ty)?;
        if pointee != at.ty() {
            return Err(self.reader.ill_typed(at.number, "it points to another type"));
        }
        let count = self.size(at, pointee)?;
        if self.names_variable(at) {
            self.load_in_frame(at, pointer, count)?;
            return Ok(Rule::Load);
        }
        if space == Space::Own && self.input_in_frame(at, count) {
            return Ok(Rule::Load);
        }
        let to = self.define(at)?;
        self.load_value(at, 0, to)?;
        Ok(Rule::Load)
    }

    /// What the pointer that is operand `n` points to.
    fn load_value(&mut self, at: &Here<'_>, n: usize, to: At) -> Read<()> {
        let Value { at: pointer, ty } = self.operand(at, n)?;
        let (space, pointee) = self.pointer(at, ty)?;
        let count = self.size(at, pointee)?;
        let op = match space {
            Space::Own => Op::LoadOwn { to, pointer, count },
            Space::Group => Op::LoadGroup { to, pointer, count },
            Space::Buffer if self.is_word(pointee) => Op::LoadWord { to, pointer },
            Space::Buffer => Op::LoadLaid { to, pointer, layout: self.layout(at, n, pointee)? },
        };
        self.emit(at, op);
        Ok(())
    }

    pub(super) fn store(&mut self, at: &Here<'_>) -> Read<Rule> {
        let Value { at: pointer, ty } = self.operand(at, 0)?;
        let pointee = self.pointee(at, ty)?;
        let from = self.typed(at, 1, pointee)?;
        if self.names_variable(at) {
            let count = self.size(at, pointee)?;
            self.emit(at, Op::Copy { to: pointer, from, count });
            return Ok(Rule::Store);
        }
        self.store_value(at, 0, (from, pointee))?;
        Ok(Rule::Store)
    }

    /// `OpCopyMemory`
    pub(super) fn copy_memory(&mut self, at: &Here<'_>) -> Read<Rule> {
        let ty = self.operand(at, 1)?.ty;
        let pointee = self.pointee(at, ty)?;
        let count = self.size(at, pointee)?;
        let to = self.slots(count);
        self.load_value(at, 1, to)?;
        self.rule(Rule::Load);
        self.store_value(at, 0, (to, pointee))?;
        Ok(Rule::Store)
    }

    /// A value of this type goes where the pointer that is operand `n` points to.
    pub(super) fn store_value(
        &mut self,
        at: &Here<'_>,
        n: usize,
        (from, stored): (At, Word),
    ) -> Read<()> {
        let Value { at: pointer, ty } = self.operand(at, n)?;
        let (space, pointee) = self.pointer(at, ty)?;
        if pointee != stored {
            return Err(self.other_type(at, n));
        }
        let count = self.size(at, pointee)?;
        let op = match space {
            Space::Own => Op::StoreOwn { pointer, from, count },
            Space::Group => {
                let id = self.id(at, n)?;
                match self.pointers().components.get(&id) {
                    Some(&(vector, count)) => Op::StoreComponent { pointer, from, vector, count },
                    None => Op::StoreGroup { pointer, from, count },
                }
            }
            Space::Buffer if self.is_word(pointee) => Op::StoreWord { pointer, from },
            Space::Buffer => Op::StoreLaid { pointer, from, layout: self.layout(at, n, pointee)? },
        };
        self.emit(at, op);
        if space == Space::Buffer
            && let Some(id) = at.id(n)
            && let Some(&(vector, count)) = self.pointers().components.get(&id)
        {
            let layout = self.layout(at, n, pointee)? as usize;
            let bytes = self.module.layouts[layout].first().map_or(4, |leaf| leaf.bytes.into());
            self.emit(at, Op::RewriteBuffer { vector, stored: pointer, count, bytes });
        }
        Ok(())
    }

    /// Is it one word, in a module whose buffers consist of words?
    fn is_word(&self, ty: Word) -> bool {
        let words = self.module.cells == 1;
        words
            && matches!(
                self.reader.types.get(ty),
                Some(Type::Int { width: 32, .. } | Type::Float { width: 32 })
            )
    }

    /// Of what the pointer that is operand `n` points to.
    fn layout(&mut self, at: &Here<'_>, n: usize, ty: Word) -> Read<u32> {
        let matrices = at.id(n).and_then(|id| self.pointers().matrices.get(&id).copied());
        let Some(leaves) = self.reader.types.leaves(ty, matrices) else {
            return Err(self.reader.unsupported(at.number, "a type that is not laid out"));
        };
        let known = self.module.layouts.iter().position(|layout| *layout == leaves);
        Ok(known.unwrap_or_else(|| {
            self.module.layouts.push(leaves);
            self.module.layouts.len() - 1
        }) as u32)
    }

    pub(super) fn access_chain(&mut self, at: &Here<'_>) -> Read<Rule> {
        let Value { at: mut pointer, ty } = self.operand(at, 0)?;
        let (space, mut ty) = self.pointer(at, ty)?;
        // Slots or bytes behind the pointer, so far constant; and where the pointer itself is, if that is.
        let mut offset = 0u32;
        let base = self.id(at, 0)?;
        if self.reader.floats == Floats::Open {
            self.module.bases.insert(at.result(), base);
        }
        let mut address = self.reader.address(base);
        let mut matrices = self.pointers().matrices.get(&base).copied();
        for n in 1..at.operands.len() {
            let id = self.id(at, n)?;
            let index = self.operand(at, n)?;
            if !matches!(self.reader.types.get(index.ty), Some(Type::Int { .. })) {
                return Err(self.reader.ill_typed(at.number, "an index that is no integer"));
            }
            let constant = self.reader.known_value(id).map(|slots| slots[0]);
            match self.reader.types.get(ty) {
                Some(Type::Struct { members }) => {
                    let member = self.reader.constant(at.number, id)?;
                    let Some(next) = members.get(member as usize).copied() else {
                        return Err(self.reader.ill_typed(at.number, "there is no such member"));
                    };
                    let before = u64::from(self.member(at, space, ty, members, member)?);
                    offset = self.behind(at, offset, before)?;
                    if space == Space::Buffer {
                        matrices = self.reader.types.matrices(ty, member);
                    }
                    ty = next;
                }
                Some(
                    &Type::Vector { element, count }
                    | &Type::Array { element, count }
                    | &Type::Matrix { column: element, count },
                ) => {
                    // A buffer's vectors have none where only our own shaders are asked about.
                    let judged = self.reader.floats == Floats::Open && space == Space::Buffer;
                    if (space == Space::Group || judged)
                        && matches!(self.reader.types.get(ty), Some(Type::Vector { .. }))
                    {
                        let before = std::mem::take(&mut offset);
                        pointer = self.further(at, space, (pointer, address.take()), before);
                        self.pointers().components.insert(at.result(), (pointer, count));
                    }
                    let stride = self.stride(at, space, (ty, matrices), element)?;
                    match constant {
                        Some(k) if k.origin == 0 && k.bits < count.into() => {
                            let before = k.bits.saturating_mul(stride.into());
                            offset = self.behind(at, offset, before)?;
                        }
                        _ => {
                            let base = std::mem::take(&mut offset);
                            let base = self.further(at, space, (pointer, address.take()), base);
                            pointer = self.slots(1);
                            let index = index.at;
                            let to = pointer;
                            let op = match space {
                                Space::Buffer => {
                                    self.element(to, (base, index), Some(count), stride)
                                }
                                _ => Op::Element { to, base, index, count, stride },
                            };
                            self.emit(at, op);
                        }
                    }
                    ty = element;
                }
                Some(&Type::RuntimeArray { element }) if space == Space::Buffer => {
                    let stride = self.stride(at, space, (ty, matrices), element)?;
                    let base = std::mem::take(&mut offset);
                    let base = self.further(at, space, (pointer, address.take()), base);
                    pointer = self.slots(1);
                    let index = index.at;
                    let op = self.element(pointer, (base, index), None, stride);
                    self.emit(at, op);
                    ty = element;
                }
                _ => {
                    return Err(self
                        .reader
                        .ill_typed(at.number, "an index into what has no parts"));
                }
            }
        }
        self.points_to(at, space, ty)?;
        let to = self.further(at, space, (pointer, address), offset);
        self.alias(at, to);
        if let Some(matrices) = matrices {
            self.pointers().matrices.insert(at.result(), matrices);
        }
        Ok(Rule::AccessChain)
    }

    /// The matrices behind the resulting pointer lie like those behind the operand.
    pub(super) fn lies_like(&mut self, at: &Here<'_>) {
        let matrices = at.id(0).and_then(|id| self.pointers().matrices.get(&id).copied());
        if let Some(matrices) = matrices {
            self.pointers().matrices.insert(at.result(), matrices);
        }
    }

    /// The result type is a pointer to `pointee` in the same memory.
    fn points_to(&self, at: &Here<'_>, space: Space, pointee: Word) -> Read<()> {
        let result = self.pointer(at, at.ty())?;
        if result == (space, pointee) {
            return Ok(());
        }
        Err(self.reader.ill_typed(at.number, "the chain leads to another type"))
    }

    /// What lies before a part of a part, which a pointer can skip.
    fn behind(&self, at: &Here<'_>, offset: u32, before: u64) -> Read<u32> {
        let sum = before.checked_add(offset.into()).and_then(|sum| u32::try_from(sum).ok());
        sum.ok_or_else(|| self.reader.unsupported(at.number, "a part that lies too far behind"))
    }

    /// A pointer so many slots or bytes behind another; its address, if that is constant.
    fn further(
        &mut self,
        at: &Here<'_>,
        space: Space,
        (base, address): (At, Option<u64>),
        by: u32,
    ) -> At {
        if by == 0 {
            return base;
        }
        let (words, byte) = if space == Space::Buffer { (by / 4, by % 4) } else { (by, 0) };
        if let Some(address) = address {
            self.leave_out(at);
            return self
                .constant_slot(Slot::new((address + u64::from(words)) | byte_of_word(byte)));
        }
        let to = self.slots(1);
        let op = match byte {
            0 => Op::Offset { to, base, by: words },
            // The second of two elements.
            _ => {
                let index = self.constant_slot(Slot::new(1));
                Op::ByteElement { to, base, index, count: 2, stride: by }
            }
        };
        self.emit(at, op);
        to
    }

    /// To point to an element of an array in a buffer; of one that ends with it there is no count.
    fn element(&self, to: At, (base, index): (At, At), count: Option<u32>, stride: u32) -> Op {
        match count {
            _ if self.module.cells > 1 => {
                Op::ByteElement { to, base, index, count: count.unwrap_or(NONE), stride }
            }
            Some(count) => Op::Element { to, base, index, count, stride: stride / 4 },
            None => Op::RuntimeElement { to, base, index, stride: stride / 4 },
        }
    }

    fn member(
        &self,
        at: &Here<'_>,
        space: Space,
        ty: Word,
        members: &[Word],
        member: u32,
    ) -> Read<u32> {
        if space == Space::Buffer {
            let offset = self.reader.types.offset(ty, member);
            return offset.ok_or_else(|| {
                self.reader.unsupported(at.number, "a member that is not laid out")
            });
        }
        members[..member as usize].iter().map(|member| self.size(at, *member)).sum()
    }

    fn stride(
        &self,
        at: &Here<'_>,
        space: Space,
        (ty, matrices): (Word, Option<Matrices>),
        element: Word,
    ) -> Read<u32> {
        if space == Space::Buffer {
            let stride = self.reader.types.stride(ty, matrices);
            return stride.ok_or_else(|| {
                self.reader.unsupported(at.number, "an array or a matrix that is not laid out")
            });
        }
        self.size(at, element)
    }

    pub(super) fn array_length(&mut self, at: &Here<'_>) -> Read<Rule> {
        let Value { at: base, ty } = self.operand(at, 0)?;
        let (_, block) = self.pointer(at, ty)?;
        let member = self.literal(at, 1)?;
        let array = match self.reader.types.get(block) {
            Some(Type::Struct { members }) => members.get(member as usize).copied(),
            _ => None,
        };
        let layout = array.and_then(|array| {
            let offset = self.reader.types.offset(block, member)?;
            Some((offset, self.reader.types.stride(array, None)?))
        });
        let Some((offset, stride)) = layout else {
            return Err(self.reader.ill_typed(at.number, "there is no such array"));
        };
        let to = self.define(at)?;
        if offset % 4 == 0 && stride % 4 == 0 {
            self.emit(at, Op::Length { to, base, offset: offset / 4, stride: stride / 4 });
            return Ok(Rule::ArrayLength);
        }
        // From the words behind the one in which it begins.
        self.emit(at, Op::Length { to, base, offset: offset / 4, stride: 1 });
        for (f, k) in [
            ((|words, byte| (4 * words).saturating_sub(byte)) as fn(u64, u64) -> u64, offset % 4),
            (|bytes, stride| bytes / stride, stride),
        ] {
            let b = self.constant_slot(Slot::new(k.into()));
            self.emit(at, Op::Binary { f, to, a: to, b });
        }
        Ok(Rule::ArrayLength)
    }

    pub(super) fn atomic(&mut self, at: &Here<'_>) -> Read<Rule> {
        use Opcode as O;
        let Value { at: pointer, ty } = self.operand(at, 0)?;
        let (space, pointee) = self.pointer(at, ty)?;
        let Some(Type::Int { width, .. }) = self.reader.types.get(pointee) else {
            return Err(self.reader.unsupported(at.number, "an atomic that is no integer"));
        };
        let width = match Width::of(*width) {
            Some(width @ (Width::W32 | Width::W64)) => width,
            _ => return Err(self.reader.unsupported(at.number, "an atomic of another width")),
        };
        let wide = width == Width::W64;
        let semantics = self.id(at, 2)?;
        self.module.releases |= self.orders(at, semantics)?.is_some();
        let opcode = at.opcode();
        let kind = match opcode {
            O::AtomicLoad => AtomicKind::Load,
            O::AtomicStore => AtomicKind::Store,
            O::AtomicCompareExchange => AtomicKind::CompareExchange,
            _ => AtomicKind::Update(match opcode {
                O::AtomicExchange => |_, new| new,
                O::AtomicIAdd => int!(width, int, u, |a, b| a.wrapping_add(b)),
                O::AtomicISub => int!(width, int, u, |a, b| a.wrapping_sub(b)),
                O::AtomicIIncrement => int!(width, int, u, |a, _b| a.wrapping_add(1)),
                O::AtomicIDecrement => int!(width, int, u, |a, _b| a.wrapping_sub(1)),
                O::AtomicSMin => int!(width, int, s, |a, b| a.min(b)),
                O::AtomicSMax => int!(width, int, s, |a, b| a.max(b)),
                O::AtomicUMin => |old, new| old.min(new),
                O::AtomicUMax => |old, new| old.max(new),
                O::AtomicAnd => |old, new| old & new,
                O::AtomicOr => |old, new| old | new,
                _ => |old, new| old ^ new,
            }),
        };
        let (value, comparator) = match opcode {
            O::AtomicLoad | O::AtomicIIncrement | O::AtomicIDecrement => (NONE, NONE),
            O::AtomicCompareExchange => (self.typed(at, 4, pointee)?, self.typed(at, 5, pointee)?),
            _ => (self.typed(at, 3, pointee)?, NONE),
        };
        let to = match opcode {
            O::AtomicStore => NONE,
            _ if at.ty() == pointee => self.define(at)?,
            _ => return Err(self.reader.ill_typed(at.number, "the result is of another type")),
        };
        self.module.atomics.push(Atomic { wide, kind, space, to, pointer, value, comparator });
        self.emit(at, Op::Atomic(self.module.atomics.len() as u32 - 1));
        Ok(Rule::Atomic)
    }
}
