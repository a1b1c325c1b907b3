//! Shapes of shaders that some driver is known to compile wrongly (`run/defects.rs`).

use super::Writer;
use reference::device::syntax::{Exp, Lit, Ty};
use reference::kit::scalar::BinOp;
use serde::{Deserialize, Serialize};

/// A shape of a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shape {
    /// A 64-bit integer is compared with a literal, but for equality.
    I64Literals,
    /// There are private variables, which start as zero, and vectors of which `|` or `^` is taken.
    VectorBits,
}

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
