//! Specialization constants, and constants that are computed from others.

use super::arithmetic::{Apply, shift, table};
use super::conversions::conversion;
use super::declare::Constant;
use super::words::{Instruction, Operand};
use super::{Read, Reader};
use crate::spirv::rules::Rule;
use crate::spirv::types::{Type, Width};
use crate::spirv::values::Slot;
use rspirv::spirv::{Op as Opcode, Word};

impl Reader<'_> {
    /// `OpSpecConstant`, `OpSpecConstantTrue`, `OpSpecConstantFalse`: the value that is given for it, if
    /// one is.
    ///
    /// ```text
    /// v is a value of the constant's type  (size)
    /// ───────────────────────────────────────────
    /// (SpecId, v) is given ⊢ the constant is v
    /// ```
    pub(super) fn given(&self, at: usize, id: Word, ty: Word) -> Read<Option<Slot>> {
        let Some(number) = self.said(id).spec_id else { return Ok(None) };
        let given = self.specialized.iter().find(|(of, _)| *of == number);
        let Some(&(_, bits)) = given else { return Ok(None) };
        let most = match self.types.components(ty) {
            Some((Type::Bool, 1)) => 1,
            Some((_, 1)) => self.width_of(ty).mask(),
            _ => return Err(self.ill_typed(at, "a specialisation constant that is no scalar")),
        };
        if bits > most {
            let text =
                format!("{bits} is given for constant {number}, whose type does not hold it");
            return Err(self.invalid(at, Rule::Specialize, "size", &text));
        }
        Ok(Some(Slot::new(bits)))
    }

    /// `OpSpecConstantOp`: the operation on constants, component by component. A premise that fails
    /// leaves the constant undefined.
    pub(super) fn folded(
        &self,
        at: usize,
        instruction: &Instruction,
        slots: u32,
    ) -> Read<Constant> {
        let Some(Operand::LiteralSpecConstantOpInteger(opcode)) = self.source.operands(at).first()
        else {
            return Err(self.unsupported(at, ""));
        };
        let ids = self.ids(at, 1)?;
        let mut operands = Vec::new();
        for id in &ids {
            self.known(at, *id)?;
            match self.known_value(*id) {
                Some(operand) => operands.push(operand),
                None => return Err(self.ill_typed(at, "an operand that is no constant")),
            }
        }
        let from = ids.first().map_or(0, |id| self.ids[*id as usize].ty);
        let to = instruction.result_type.unwrap_or(0);
        let (from, to) = (self.width_of(from), self.width_of(to));
        let component = |i: u32| -> Option<Slot> {
            let part = |operand: &[Slot]| operand.get(i as usize).copied();
            if let (Opcode::Select, [condition, a, b]) = (opcode, &operands[..]) {
                let condition = part(condition).or(condition.first().copied())?;
                let chosen = part(if condition.bits != 0 { a } else { b })?;
                return Some(Slot { origin: condition.origin.max(chosen.origin), ..chosen });
            }
            let parts = operands.iter().map(|operand| part(operand)).collect::<Option<Vec<_>>>()?;
            constant(*opcode, from, to, &parts)
        };
        let value = (0..slots).map(component).collect::<Option<Constant>>();
        value.ok_or_else(|| self.unsupported(at, "an operation on constants"))
    }
}

/// What an operation makes of constants of which it takes one component each; none if it is none of
/// these operations, or has other operands.
fn constant(opcode: Opcode, from: Width, to: Width, operands: &[Slot]) -> Option<Slot> {
    let apply = conversion(opcode, from, to)
        .map(|(_, _, _, apply)| apply)
        .or_else(|| shift(opcode, from).map(|(_, f)| Apply::Partial(f)))
        .or_else(|| table(opcode, from).map(|entry| entry.apply))?;
    let origin = operands.iter().map(|slot| slot.origin).max().unwrap_or(0);
    let bits = match (apply, operands) {
        (Apply::Unary(f), [a]) => f(a.bits),
        (Apply::Binary(f), [a, b]) => f(a.bits, b.bits),
        (Apply::And, [a, b]) => a.bits & b.bits,
        (Apply::Or, [a, b]) => a.bits | b.bits,
        (Apply::Partial(f), [a, b]) => match f([a.bits, b.bits, 0, 0]) {
            (bits, 0) => bits,
            _ => return Some(Slot::UNDEFINED),
        },
        _ => return None,
    };
    Some(Slot { bits, origin })
}
