//! Says behind operations on floats what makes their results open.

use super::Floats;
use super::body::{Body, Here};
use super::estimates::{self, reduced};
use crate::spirv::half;
use crate::spirv::open::{Opens, Rounding};
use crate::spirv::syntax::{At, Op, PartialFn};
use crate::spirv::types::{Scalar, Width};
use rspirv::spirv::{GlslStd450Op, Op as Opcode};

/// The number that these bits are.
fn float(width: Width) -> fn(u64) -> f64 {
    match width {
        Width::W64 => f64::from_bits,
        Width::W32 => |bits| f64::from(f32::from_bits(bits as u32)),
        _ => |bits| half::from_bits(bits as u16),
    }
}

impl Body<'_> {
    fn is_open(&self) -> bool {
        self.reader.floats == Floats::Open
    }

    /// Behind an operation whose result may be open stands another one that says so.
    pub(super) fn rounding(&mut self, at: &Here<'_>, to: At, operands: &[At], width: Width) {
        if !self.is_open() {
            return;
        }
        let half = width == Width::W16;
        let instruction = match at.opcode() {
            Opcode::ExtInst => self.literal(at, 1).ok().and_then(GlslStd450Op::from_u32),
            _ => None,
        };
        let is_unpacked = instruction == Some(GlslStd450Op::UnpackHalf2x16);
        let opens = match at.opcode() {
            Opcode::ExtInst => instruction.and_then(|it| estimates::of_glsl(it, half)),
            opcode => estimates::of_opcode(opcode, half),
        };
        let opens = opens.filter(|_| matches!(width, Width::W32 | Width::W16));
        let compared = || self.compares_floats(at).then_some(Opens::Compared);
        let Some(opens) = opens.or_else(compared) else { return };
        let operand = if at.opcode() == Opcode::ExtInst { 2 } else { 0 };
        let from = self.operand(at, operand).ok();
        let from = from.and_then(|value| self.reader.types.scalars(value.ty));
        let decode: fn(u64) -> f64 = match from.map(|it| (it.scalar, it.width)) {
            Some((Scalar::Int, Width::W16)) if at.opcode() == Opcode::ConvertSToF => {
                |bits| f64::from(bits as u16 as i16)
            }
            Some((Scalar::Int, _)) if at.opcode() == Opcode::ConvertSToF => {
                |bits| f64::from(bits as u32 as i32)
            }
            // An infinity or NaN of 16 bits is given, and not made of a finite number.
            Some((Scalar::Int, _)) if is_unpacked => |bits| {
                let halves = [bits, bits >> 16].map(|half| half::from_bits(half as u16));
                if halves[0].is_finite() { halves[1] } else { halves[0] }
            },
            Some((Scalar::Int, _)) => |bits| f64::from(bits as u32),
            Some((_, width)) => float(width),
            None => float(width),
        };
        self.opens(at, Rounding { opens, decode, half, to, operands: [to; 4] }, operands);
    }

    /// Behind the rounding of a number of 64 bits, which is a sum of products.
    pub(super) fn sum_is_open(&mut self, at: &Here<'_>, to: At, from: [At; 2], width: Width) {
        if self.is_open() {
            let half = width == Width::W16;
            let opens = Opens::Estimated(estimates::sum(half));
            let rounding = Rounding { opens, decode: f64::from_bits, half, to, operands: [to; 4] };
            self.opens(at, rounding, &from);
        }
    }

    /// Behind a number of 64 bits that is used on the way to a result of this width, or by which or by whose root something is
    /// divided. The other slot is the size of its terms.
    pub(super) fn passes(
        &mut self,
        at: &Here<'_>,
        [to, size]: [At; 2],
        width: Width,
        divides: bool,
    ) {
        if self.is_open() && width != Width::W64 {
            let half = width == Width::W16;
            let opens = if divides { estimates::divides(half) } else { estimates::passed(half) };
            let rounding = Rounding { opens, decode: f64::from_bits, half, to, operands: [to; 4] };
            self.opens(at, rounding, &[to, size]);
        }
    }

    /// Behind a sum or a product of a subgroup, whose lanes come in any order.
    pub(super) fn reduction_is_open(&mut self, at: &Here<'_>, to: At, width: Width) {
        if self.is_open() && width != Width::W64 {
            let (opens, decode) = (Opens::Estimated(reduced), float(width));
            let half = width == Width::W16;
            self.opens(at, Rounding { opens, decode, half, to, operands: [to; 4] }, &[to]);
        }
    }

    /// The number that a lane brings to a sum or a product of a subgroup, if it is asked whether that is finite.
    pub(super) fn told_of_lanes(&self, width: Width) -> Option<fn(u64) -> f64> {
        (self.is_open() && width != Width::W64).then(|| float(width))
    }

    /// Behind the choice of a float by a truth value.
    pub(super) fn selection_is_open(&mut self, at: &Here<'_>, to: At, operands: [At; 3]) {
        let scalars = self.reader.types.scalars(at.ty());
        let Some(scalars) = scalars.filter(|it| it.scalar == Scalar::Float) else { return };
        if self.is_open() && scalars.width != Width::W64 {
            let (opens, decode) = (Opens::Selected, float(scalars.width));
            let half = scalars.width == Width::W16;
            self.opens(at, Rounding { opens, decode, half, to, operands: [to; 4] }, &operands);
        }
    }

    /// Behind an integer that holds floats of 32 bits.
    pub(super) fn packed_is_open(
        &mut self,
        at: &Here<'_>,
        to: At,
        operands: [At; 4],
        (f, halves): (PartialFn, bool),
    ) {
        if self.is_open() {
            let (opens, decode) = (Opens::Packed { f, halves }, float(Width::W32));
            self.opens(at, Rounding { opens, decode, half: false, to, operands }, &operands);
        }
    }

    fn opens(&mut self, at: &Here<'_>, mut rounding: Rounding, operands: &[At]) {
        let [first, ..] = operands else { return };
        rounding.operands = [*first; 4];
        for (to, operand) in rounding.operands.iter_mut().zip(operands) {
            *to = *operand;
        }
        self.module.roundings.push(rounding);
        self.emit(at, Op::Rounding(self.module.roundings.len() as u32 - 1));
    }

    /// Does it compare two floats of 32 bits, or of 16, or ask whether one is finite?
    fn compares_floats(&mut self, at: &Here<'_>) -> bool {
        let ordered = matches!(
            at.opcode(),
            Opcode::FOrdEqual
                | Opcode::FOrdNotEqual
                | Opcode::FOrdLessThan
                | Opcode::FOrdGreaterThan
                | Opcode::FOrdLessThanEqual
                | Opcode::FOrdGreaterThanEqual
                | Opcode::FUnordEqual
                | Opcode::FUnordNotEqual
                | Opcode::FUnordLessThan
                | Opcode::FUnordGreaterThan
                | Opcode::FUnordLessThanEqual
                | Opcode::FUnordGreaterThanEqual
                | Opcode::IsNan
                | Opcode::IsInf
        );
        ordered
            && self.operand(at, 0).is_ok_and(|value| {
                let scalars = self.reader.types.scalars(value.ty);
                scalars.is_some_and(|it| it.scalar == Scalar::Float && it.width <= Width::W32)
            })
    }
}
