//! Operators on scalars.

use super::Run;
use crate::fcl::rules::Rule;
use crate::fcl::syntax::Op;
use crate::fcl::values::Val;
use crate::kit::outcome::{Cause, Why};
use crate::kit::run::{Eval, Evaluator, Stop};
use crate::kit::scalar::BinOp;
use crate::kit::text::Span;

/// The operator of the scalar table, and whether its result is a bool.
#[inline]
fn int_operator(op: Op) -> Option<(BinOp, bool)> {
    Some(match op {
        Op::Add => (BinOp::Add, false),
        Op::Sub => (BinOp::Sub, false),
        Op::Mul => (BinOp::Mul, false),
        Op::Div => (BinOp::Div, false),
        Op::Mod => (BinOp::Rem, false),
        Op::Min => (BinOp::Min, false),
        Op::Max => (BinOp::Max, false),
        Op::And => (BinOp::And, false),
        Op::Or => (BinOp::Or, false),
        Op::Xor => (BinOp::Xor, false),
        Op::Sll => (BinOp::Shl, false),
        Op::Srl => (BinOp::Shr, false),
        Op::Eq => (BinOp::Eq, true),
        Op::Neq => (BinOp::Ne, true),
        Op::Lt => (BinOp::Lt, true),
        Op::Le => (BinOp::Le, true),
        Op::Gt => (BinOp::Gt, true),
        Op::Ge => (BinOp::Ge, true),
        _ => return None,
    })
}

impl Run<'_> {
    /// An operator whose operands are the last ones.
    #[inline]
    pub(super) fn operator(&mut self, op: Op, span: Span) -> Eval {
        match int_operator(op) {
            Some((table, is_test)) => self.e_op_ints(op, table, is_test, span),
            None => self.other_operator(op, span),
        }
    }

    /// [`Run::operator`], which notes the place if it has no answer.
    #[inline]
    pub(super) fn operator_at(&mut self, op: Op, span: Span) -> Eval {
        match self.operator(op, span) {
            Err(stop) if matches!(*stop, Stop::Unknown(_)) && span.start < span.end => {
                Err(self.state.meter.stops(span, stop))
            }
            ended => ended,
        }
    }

    #[inline(never)]
    fn other_operator(&mut self, op: Op, span: Span) -> Eval {
        match op {
            Op::Fst => self.e_fst(),
            Op::Snd => self.e_snd(),
            Op::Generate => self.e_generate(span),
            Op::Index => self.e_index(span),
            Op::LengthPull => self.e_length_pull(),
            Op::LengthPush => self.length_push(span),
            Op::MapPull => self.e_map_pull(span),
            Op::MapPush => self.map_push(span),
            Op::Force => {
                let array = self.machine.operand();
                self.force(array, span)
            }
            Op::While => self.e_while(span),
            Op::Push => unreachable!("T-LAPP: a level comes before the array"),
            Op::Concat | Op::Interleave => unreachable!("their arguments are not evaluated"),
            scalar => self.e_op(scalar),
        }
    }

    /// `E-OP`
    ///
    /// ```text
    /// v = op bv … bv                                                          (division)
    /// ──────────────────
    /// op bv … bv ↪ v
    /// ```
    #[inline]
    fn e_op_ints(&mut self, op: Op, table: BinOp, is_test: bool, span: Span) -> Eval {
        let (b, a) = (self.machine.int(), self.machine.int());
        self.opens(Rule::EOp, |_| format!("{} {a} {b}", op.name()))?;
        match table.checked(a, b) {
            Some(k) if is_test => self.gives(Val::Bool(k != 0)),
            Some(k) => self.gives(Val::Int(k)),
            None => self.stuck(Rule::EOp, span, Cause::DivisionByZero, &[a.into(), b.into()]),
        }
    }

    /// `E-OP`, for the operators that are total.
    fn e_op(&mut self, op: Op) -> Eval {
        let at = self.machine.operands.len() - op.arity();
        let names_and_operands = |told: super::Told<'_, '_>, operands: &[Val]| {
            let operands = operands.iter().map(|operand| format!(" {}", told.val(operand)));
            op.name().to_owned() + &operands.collect::<String>()
        };
        let operands: smallvec::SmallVec<[Val; 2]> = self.machine.operands.drain(at..).collect();
        self.opens(Rule::EOp, |told| names_and_operands(told, &operands))?;
        let mut operands = operands.into_iter();
        let mut next = || operands.next().expect("an operator has its operands");
        let format = self.setting.doubles;
        let double = |result: Result<_, _>| result.map(Val::Double);
        let result = match op {
            Op::Neg => Ok(Val::Int(next().int().wrapping_neg())),
            Op::Abs => Ok(Val::Int(next().int().wrapping_abs())),
            Op::Sign => Ok(Val::Int(next().int().signum())),
            Op::Clz => Ok(Val::Int(next().int().leading_zeros() as i32)),
            Op::Not => Ok(Val::Bool(!next().bool())),
            Op::B2i => Ok(Val::Int(next().bool().into())),
            Op::I2d => Ok(Val::Double(format.of_int(next().int()))),
            Op::D2i => next().double().to_int().map(Val::Int),
            Op::NegD => Ok(Val::Double(next().double().negated())),
            Op::AbsD => Ok(Val::Double(next().double().abs())),
            Op::AddD => double(format.add(next().double(), next().double())),
            Op::SubD => double(format.sub(next().double(), next().double())),
            Op::MulD => double(format.mul(next().double(), next().double())),
            Op::DivD => double(format.div(next().double(), next().double())),
            Op::MinD => Ok(Val::Double(next().double().min(next().double()))),
            Op::MaxD => Ok(Val::Double(next().double().max(next().double()))),
            Op::EqD => next().double().compare(next().double(), f64::eq).map(Val::Bool),
            Op::LtD => next().double().compare(next().double(), f64::lt).map(Val::Bool),
            Op::LeD => next().double().compare(next().double(), f64::le).map(Val::Bool),
            Op::WarpSize => Ok(Val::Int(self.setting.machine.warp as i32)),
            Op::BlockSize => Ok(Val::Int(self.setting.machine.threads_of_block() as i32)),
            _ => unreachable!("{} is no operator on scalars", op.name()),
        };
        self.gives(result.map_err(Why::from)?)
    }
}
