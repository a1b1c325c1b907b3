//! Composites: taken apart and put together, mostly by naming slots.

use super::Read;
use super::arithmetic::Kind;
use super::body::{Body, Here, Value};
use crate::spirv::rules::Rule;
use crate::spirv::syntax::{At, Op};
use crate::spirv::types::Type;
use rspirv::spirv::{Op as Opcode, Word};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

impl Body<'_> {
    pub(super) fn composite(&mut self, at: &Here<'_>) -> Read<Rule> {
        match at.opcode() {
            Opcode::CompositeExtract => self.extract(at)?,
            Opcode::CompositeConstruct => self.construct(at)?,
            Opcode::CompositeInsert => self.insert(at)?,
            Opcode::CopyObject => {
                let from = self.typed(at, 0, at.ty())?;
                self.lies_like(at);
                self.alias(at, from);
            }
            Opcode::CopyLogical => {
                let from = self.operand(at, 0)?;
                if !self.same_parts(from.ty, at.ty(), &mut FxHashSet::default()) {
                    return Err(self.other_type(at, 0));
                }
                self.alias(at, from.at);
            }
            Opcode::VectorShuffle => self.shuffle(at)?,
            Opcode::Select => self.select(at)?,
            _ => return self.dynamic(at),
        }
        Ok(Rule::Composite)
    }

    /// `OpCopyLogical`: do values of two types consist of the same parts, wherever these lie in memory?
    /// Pairs of types that were looked at are passed over, for types may name others many times.
    fn same_parts(&self, a: Word, b: Word, seen: &mut FxHashSet<(Word, Word)>) -> bool {
        if a == b || !seen.insert((a, b)) {
            return true;
        }
        match (self.reader.types.get(a), self.reader.types.get(b)) {
            (
                Some(Type::Array { element: a, count: n }),
                Some(Type::Array { element: b, count: m }),
            ) => n == m && self.same_parts(*a, *b, seen),
            (Some(Type::Struct { members: a }), Some(Type::Struct { members: b })) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.same_parts(*a, *b, seen))
            }
            _ => false,
        }
    }

    /// Slots before a part of a composite, and its type: literal indices from operand `n` on.
    fn part(&self, at: &Here<'_>, mut ty: Word, n: usize) -> Read<(u32, Word)> {
        let mut offset = 0;
        for n in n..at.operands.len() {
            let index = self.literal(at, n)?;
            let missing = || self.reader.ill_typed(at.number, "there is no such part");
            match self.reader.types.get(ty) {
                Some(Type::Struct { members }) => {
                    let next = *members.get(index as usize).ok_or_else(missing)?;
                    for member in &members[..index as usize] {
                        offset += self.size(at, *member)?;
                    }
                    ty = next;
                }
                Some(
                    Type::Vector { element, count }
                    | Type::Array { element, count }
                    | Type::Matrix { column: element, count },
                ) if index < *count => {
                    offset += index * self.size(at, *element)?;
                    ty = *element;
                }
                _ => return Err(missing()),
            }
        }
        Ok((offset, ty))
    }

    fn extract(&mut self, at: &Here<'_>) -> Read<()> {
        let value = self.operand(at, 0)?;
        let (offset, ty) = self.part(at, value.ty, 1)?;
        if ty != at.ty() {
            return Err(self.reader.ill_typed(at.number, "the part is of another type"));
        }
        self.alias(at, value.at + offset);
        Ok(())
    }

    fn insert(&mut self, at: &Here<'_>) -> Read<()> {
        let ty = at.ty();
        let part = self.operand(at, 0)?;
        let whole = self.typed(at, 1, ty)?;
        let (offset, part_ty) = self.part(at, ty, 2)?;
        if part_ty != part.ty {
            return Err(self.reader.ill_typed(at.number, "the part is of another type"));
        }
        let count = self.size(at, ty)?;
        let to = self.define(at)?;
        self.emit(at, Op::Copy { to, from: whole, count });
        let count = self.size(at, part_ty)?;
        self.emit(at, Op::Copy { to: to + offset, from: part.at, count });
        Ok(())
    }

    /// Parts side by side; of a vector they may be vectors themselves.
    fn construct(&mut self, at: &Here<'_>) -> Read<()> {
        let ty = at.ty();
        let asked: Vec<Word> = match self.reader.types.get(ty) {
            Some(Type::Struct { members }) => members.clone(),
            Some(Type::Array { element, count } | Type::Matrix { column: element, count }) => {
                vec![*element; *count as usize]
            }
            Some(Type::Vector { .. }) => Vec::new(),
            _ => return Err(self.reader.ill_typed(at.number, "it has no parts")),
        };
        let given = at.operands.len();
        if !asked.is_empty() && asked.len() != given {
            return Err(self.reader.ill_typed(at.number, "another number of parts"));
        }
        let mut parts = SmallVec::<[(At, u32); 4]>::new();
        let mut sum = 0;
        for n in 0..given {
            let part = self.operand(at, n)?;
            let fits = match asked.get(n) {
                Some(asked) => *asked == part.ty,
                None => {
                    let scalar = |ty| self.reader.types.components(ty).map(|(scalar, _)| scalar);
                    scalar(part.ty) == scalar(ty)
                }
            };
            if !fits {
                return Err(self.reader.ill_typed(at.number, "a part of another type"));
            }
            let count = self.size(at, part.ty)?;
            sum += count;
            parts.push((part.at, count));
        }
        if sum != self.size(at, ty)? {
            return Err(self.reader.ill_typed(at.number, "another number of components"));
        }
        let mut to = self.define(at)?;
        for (from, count) in parts {
            self.emit(at, Op::Copy { to, from, count });
            to += count;
        }
        Ok(())
    }

    fn vector(&self, at: &Here<'_>, ty: Word) -> Read<(Word, u32)> {
        match self.reader.types.get(ty) {
            Some(Type::Vector { element, count }) => Ok((*element, *count)),
            _ => Err(self.reader.ill_typed(at.number, "a vector is asked for")),
        }
    }

    fn shuffle(&mut self, at: &Here<'_>) -> Read<()> {
        let (a, b) = (self.operand(at, 0)?, self.operand(at, 1)?);
        let (element, first) = self.vector(at, a.ty)?;
        let (other, second) = self.vector(at, b.ty)?;
        let (result, count) = self.vector(at, at.ty())?;
        let operands = at.operands.len();
        if element != other || element != result || operands != count as usize + 2 {
            return Err(self.reader.ill_typed(at.number, "the vectors do not fit"));
        }
        let to = self.define(at)?;
        for i in 0..count {
            let component = self.literal(at, i as usize + 2)?;
            let to = to + i;
            let op = match component {
                u32::MAX => Op::Undefine { to, count: 1 },
                k if k < first => Op::Copy { to, from: a.at + k, count: 1 },
                k if k < first + second => Op::Copy { to, from: b.at + k - first, count: 1 },
                _ => return Err(self.reader.ill_typed(at.number, "there is no such component")),
            };
            self.emit(at, op);
        }
        Ok(())
    }

    fn index(&mut self, at: &Here<'_>, n: usize) -> Read<At> {
        let Value { at: index, ty } = self.operand(at, n)?;
        match self.reader.types.get(ty) {
            Some(Type::Int { .. }) => Ok(index),
            _ => Err(self.reader.ill_typed(at.number, "an index that is no integer")),
        }
    }

    fn dynamic(&mut self, at: &Here<'_>) -> Read<Rule> {
        let Value { at: vector, ty } = self.operand(at, 0)?;
        let (element, count) = self.vector(at, ty)?;
        if at.opcode() == Opcode::VectorExtractDynamic {
            let index = self.index(at, 1)?;
            if element != at.ty() {
                return Err(self.reader.ill_typed(at.number, "the component is of another type"));
            }
            let to = self.define(at)?;
            self.emit(at, Op::Extract { to, vector, index, count });
        } else {
            let value = self.typed(at, 1, element)?;
            let index = self.index(at, 2)?;
            if ty != at.ty() {
                return Err(self.reader.ill_typed(at.number, "the vector is of another type"));
            }
            let to = self.define(at)?;
            self.emit(at, Op::Insert { to, vector, index, value, count });
        }
        Ok(Rule::Dynamic)
    }

    /// One condition for all, or one a component.
    fn select(&mut self, at: &Here<'_>) -> Read<()> {
        let ty = at.ty();
        let condition = self.operand(at, 0)?;
        let (a, b) = (self.typed(at, 1, ty)?, self.typed(at, 2, ty)?);
        let count = self.size(at, ty)?;
        let each = match self.reader.types.components(condition.ty) {
            Some((Type::Bool, 1)) => false,
            Some((Type::Bool, n)) if n == count => true,
            _ => return Err(self.reader.ill_typed(at.number, "the condition does not fit")),
        };
        let to = self.define(at)?;
        self.emit(at, Op::Select { to, condition: condition.at, a, b, count, each });
        for i in 0..count {
            let condition = condition.at + if each { i } else { 0 };
            self.selection_is_open(at, to + i, [condition, a + i, b + i]);
        }
        Ok(())
    }

    /// `OpAll` and `OpAny`, of the components of a vector.
    pub(super) fn all_or_any(&mut self, at: &Here<'_>) -> Read<Rule> {
        let (from, _, count) = self.scalars(at, 0, Kind::Bool)?;
        let to = self.define(at)?;
        if self.result(at, Kind::Bool)?.1 != 1 {
            return Err(self.reader.ill_typed(at.number, "the result is no truth value"));
        }
        if count == 1 {
            self.emit(at, Op::Copy { to, from, count });
        }
        for i in 1..count {
            let (a, b) = (if i == 1 { from } else { to }, from + i);
            let op = match at.opcode() {
                Opcode::All => Op::And { to, a, b },
                _ => Op::Or { to, a, b, ones: 1 },
            };
            self.emit(at, op);
        }
        Ok(Rule::Compare)
    }
}
