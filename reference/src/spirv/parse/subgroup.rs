//! Subgroup operations.

use super::Read;
use super::arithmetic::{Kind, float, int};
use super::body::{Body, Here};
use super::conversions::bits;
use super::words::{self, Operand};
use crate::spirv::rules::Rule;
use crate::spirv::syntax::{NONE, Op, Scan, Subgroup, SubgroupKind};
use crate::spirv::types::Width;
use rspirv::spirv::{GroupOperation, Op as Opcode, Scope};

/// What a reduction does to two numbers, what kind of numbers, and what it gives of none.
type Fold = (Kind, fn(u64, u64) -> u64, u64);

fn fold(opcode: Opcode, width: Width) -> Option<Fold> {
    use Kind::{Bool, Float, Int};
    use Opcode as O;
    let ones = width.mask();
    let least = 1 << (width.bits() - 1);
    let number = |x: f64| match width {
        Width::W64 => bits::<64>(x),
        Width::W32 => bits::<32>(x),
        _ => bits::<16>(x),
    };
    Some(match opcode {
        O::GroupNonUniformIAdd => (Int, int!(width, int, u, |a, b| a.wrapping_add(b)), 0),
        O::GroupNonUniformIMul => (Int, int!(width, int, u, |a, b| a.wrapping_mul(b)), 1),
        O::GroupNonUniformSMin => (Int, int!(width, int, s, |a, b| a.min(b)), ones ^ least),
        O::GroupNonUniformSMax => (Int, int!(width, int, s, |a, b| a.max(b)), least),
        O::GroupNonUniformUMin => (Int, int!(width, int, u, |a, b| a.min(b)), ones),
        O::GroupNonUniformUMax => (Int, int!(width, int, u, |a, b| a.max(b)), 0),
        O::GroupNonUniformBitwiseAnd => (Int, |a, b| a & b, ones),
        O::GroupNonUniformBitwiseOr => (Int, |a, b| a | b, 0),
        O::GroupNonUniformBitwiseXor => (Int, |a, b| a ^ b, 0),
        O::GroupNonUniformFAdd => (Float, float!(width, float, |a, b| a + b), number(0.0)),
        O::GroupNonUniformFMul => (Float, float!(width, float, |a, b| a * b), number(1.0)),
        O::GroupNonUniformFMin => {
            (Float, float!(width, float, |a, b| a.min(b)), number(f64::INFINITY))
        }
        O::GroupNonUniformFMax => {
            (Float, float!(width, float, |a, b| a.max(b)), number(f64::NEG_INFINITY))
        }
        O::GroupNonUniformLogicalAnd => (Bool, |a, b| a & b, 1),
        O::GroupNonUniformLogicalOr => (Bool, |a, b| a | b, 0),
        O::GroupNonUniformLogicalXor => (Bool, |a, b| a ^ b, 0),
        _ => return None,
    })
}

/// The lane from which one takes a value, by its own number and the operand.
fn source(opcode: Opcode) -> Option<fn(u32, u32) -> u32> {
    use Opcode as O;
    Some(match opcode {
        O::GroupNonUniformBroadcast | O::GroupNonUniformShuffle => |_, lane| lane,
        O::GroupNonUniformShuffleXor => |me, mask| me ^ mask,
        O::GroupNonUniformShuffleUp => u32::wrapping_sub,
        O::GroupNonUniformShuffleDown => u32::wrapping_add,
        O::GroupNonUniformQuadBroadcast => |me, lane| if lane < 4 { me & !3 | lane } else { !0 },
        O::GroupNonUniformQuadSwap => |me, way| if way < 3 { me ^ (way + 1) } else { !0 },
        _ => return None,
    })
}

impl Body<'_> {
    /// Is it an operation of a subgroup?
    pub(super) fn of_subgroup(&self, at: &Here<'_>) -> bool {
        at.opcode() >= Opcode::GroupNonUniformElect
            && words::name(at.opcode()).starts_with("GroupNonUniform")
    }

    /// An operation of a subgroup.
    pub(super) fn subgroup(&mut self, at: &Here<'_>) -> Read<Rule> {
        use Opcode as O;
        let opcode = at.opcode();
        let scope = self.id(at, 0)?;
        if self.reader.constant(at.number, scope)? != Scope::Subgroup as u32 {
            return Err(self.reader.unsupported(at.number, "a scope other than the subgroup"));
        }
        let ty = at.ty();
        let mut op =
            Subgroup { kind: SubgroupKind::Elect, to: 0, value: NONE, lane: NONE, count: 1 };
        let mut rule = Rule::NonUniform;
        match opcode {
            O::GroupNonUniformElect => self.is(at, Kind::Bool, 1)?,
            O::GroupNonUniformAll | O::GroupNonUniformAny => {
                let all = opcode == O::GroupNonUniformAll;
                op.kind = if all { SubgroupKind::All } else { SubgroupKind::Any };
                op.value = self.truth(at, 1)?;
                self.is(at, Kind::Bool, 1)?;
            }
            O::GroupNonUniformBallot => {
                op.kind = SubgroupKind::Ballot;
                op.value = self.truth(at, 1)?;
                self.is(at, Kind::Int, 4)?;
            }
            O::GroupNonUniformBroadcastFirst => {
                op.kind = SubgroupKind::First;
                op.value = self.typed(at, 1, ty)?;
                op.count = self.size(at, ty)?;
            }
            _ if source(opcode).is_some() => {
                let Some(source) = source(opcode) else { unreachable!("it was there") };
                rule = match opcode {
                    O::GroupNonUniformBroadcast | O::GroupNonUniformQuadBroadcast => {
                        Rule::Broadcast
                    }
                    _ => Rule::Shuffle,
                };
                op.kind = SubgroupKind::From(source, rule);
                op.value = self.typed(at, 1, ty)?;
                op.count = self.size(at, ty)?;
                op.lane = match self.scalars(at, 2, Kind::Int)? {
                    (lane, Width::W32, 1) => lane,
                    _ => {
                        return Err(self
                            .reader
                            .ill_typed(at.number, "the lane is no number of 32 bits"));
                    }
                };
            }
            _ => self.reduction(at, &mut op)?,
        }
        op.to = self.define(at)?;
        self.module.barriers = true;
        self.module.subgroups.push(op);
        self.emit(at, Op::Subgroup(self.module.subgroups.len() as u32 - 1));
        if matches!(opcode, O::GroupNonUniformFAdd | O::GroupNonUniformFMul) {
            let width = self.width(ty);
            (op.to..op.to + op.count).for_each(|to| self.reduction_is_open(at, to, width));
        }
        Ok(rule)
    }

    fn reduction(&mut self, at: &Here<'_>, op: &mut Subgroup) -> Read<()> {
        let ty = at.ty();
        let Some((kind, f, identity)) = fold(at.opcode(), self.width(ty)) else {
            return Err(self.reader.unsupported(at.number, ""));
        };
        let scan = match at.operands.get(1) {
            Some(Operand::GroupOperation(GroupOperation::Reduce)) => Scan::Reduce,
            Some(Operand::GroupOperation(GroupOperation::InclusiveScan)) => Scan::Inclusive,
            Some(Operand::GroupOperation(GroupOperation::ExclusiveScan)) => Scan::Exclusive,
            _ => {
                return Err(self
                    .reader
                    .unsupported(at.number, "a group operation of another kind"));
            }
        };
        let (value, _, count) = self.scalars(at, 2, kind)?;
        if self.typed(at, 2, ty)? != value {
            return Err(self.reader.ill_typed(at.number, "the result is of another type"));
        }
        let sums = matches!(at.opcode(), Opcode::GroupNonUniformFAdd | Opcode::GroupNonUniformFMul);
        let float = if sums { self.told_of_lanes(self.width(ty)) } else { None };
        op.kind = SubgroupKind::Fold { f, identity, scan, float };
        (op.value, op.count) = (value, count);
        Ok(())
    }

    /// The truth value that is operand `n`.
    fn truth(&mut self, at: &Here<'_>, n: usize) -> Read<u32> {
        match self.scalars(at, n, Kind::Bool)? {
            (value, _, 1) => Ok(value),
            _ => Err(self.reader.ill_typed(at.number, "a truth value is asked for")),
        }
    }

    /// The result has so many components of the kind, of 32 bits if they are numbers.
    fn is(&self, at: &Here<'_>, kind: Kind, count: u32) -> Read<()> {
        match self.result(at, kind)? {
            (Width::W32, components) if components == count => Ok(()),
            _ => Err(self.reader.ill_typed(at.number, "the result is of another type")),
        }
    }
}
