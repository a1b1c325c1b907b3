//! The arithmetic that is most frequent, in fewer steps than the tables take.

use super::Read;
use super::body::{Body, Here};
use super::words::Operand;
use crate::spirv::rules::Rule;
use crate::spirv::syntax::{At, Op};
use crate::spirv::types::{Scalar, Scalars};
use rspirv::spirv::{Op as Opcode, Word};

/// The operation that is there for an opcode alone: of 32 bits, or on truth values whatever the bits.
pub(super) fn operation(opcode: Opcode, wide: bool, to: At, a: At, b: At) -> Option<Op> {
    Some(match opcode {
        Opcode::IAdd if !wide => Op::Add { to, a, b },
        Opcode::ISub if !wide => Op::Subtract { to, a, b },
        Opcode::IMul if !wide => Op::Multiply { to, a, b },
        // Bits above the width are 0.
        Opcode::IEqual => Op::Equal { to, a, b },
        Opcode::ULessThan => Op::Less { to, a, b },
        Opcode::UGreaterThan => Op::Less { to, a: b, b: a },
        Opcode::UGreaterThanEqual => Op::NotLess { to, a, b },
        Opcode::ULessThanEqual => Op::NotLess { to, a: b, b: a },
        _ => return None,
    })
}

impl Body<'_> {
    /// Such an instruction with single integers of 32 bits. `None` of any other one, and of those whose
    /// types do not fit.
    pub(super) fn frequent(&mut self, at: &Here<'_>) -> Read<Option<Rule>> {
        let (rule, result) = match at.opcode() {
            Opcode::IAdd | Opcode::ISub | Opcode::IMul => (Rule::Arithmetic, Scalar::Int),
            Opcode::IEqual
            | Opcode::ULessThan
            | Opcode::UGreaterThan
            | Opcode::UGreaterThanEqual
            | Opcode::ULessThanEqual => (Rule::Compare, Scalar::Bool),
            _ => return Ok(None),
        };
        let &[Operand::IdRef(a), Operand::IdRef(b)] = at.operands else { return Ok(None) };
        let type_of = |id: Word| self.reader.ids.get(id as usize).map_or(0, |known| known.ty);
        let single = |ty: Word, of: Scalar| match self.reader.types.scalars(ty) {
            Some(Scalars { scalar, wide: false, count: 1 }) => scalar == of,
            _ => false,
        };
        let (first, second) = (type_of(a), type_of(b));
        let integers =
            single(first, Scalar::Int) && (second == first || single(second, Scalar::Int));
        if !integers || !single(at.ty(), result) {
            return Ok(None);
        }
        let (a, b) = (self.value(at, a)?.at, self.value(at, b)?.at);
        let to = self.define(at)?;
        let op = operation(at.opcode(), false, to, a, b);
        op.into_iter().for_each(|op| self.emit(at, op));
        Ok(Some(rule))
    }
}
