//! Notes the shapes of a shader that some driver is known to compile wrongly ([`Shape`]).

use super::Writer;
use crate::target::Shape;
use reference::device::syntax::{Exp, Lit, Ty};
use reference::kit::scalar::BinOp;

impl Writer<'_> {
    /// Notes the shape of an operation on operands of this type, if it has one.
    pub(super) fn note_shape(&mut self, op: BinOp, operands: &[Exp; 2], ty: &Ty) {
        let shape = match op {
            BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => operands
                .iter()
                .any(|of| matches!(of, Exp::Lit(Lit::I64(_))))
                .then_some(Shape::I64Literals),
            BinOp::Or | BinOp::Xor => {
                (self.has_private && matches!(ty, Ty::Vector(..))).then_some(Shape::VectorBits)
            }
            _ => None,
        };
        self.shapes.extend(shape.filter(|shape| !self.shapes.contains(shape)));
    }
}
