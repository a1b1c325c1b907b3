//! Shapes of shaders that some driver is known to compile wrongly (`run/defects.rs`).

use super::{Writer, called};
use reference::device::syntax::{Exp, Kernel, Lit, Ty};
use reference::device::visit;
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
    /// The shapes that a kernel with its functions has.
    pub(super) fn shapes(&self, kernel: &Kernel) -> Vec<Shape> {
        let mut found = Vec::new();
        self.every_part(kernel, &mut |exp| {
            found.extend(self.shape(kernel, exp).filter(|shape| !found.contains(shape)));
        });
        found
    }

    fn shape(&self, kernel: &Kernel, exp: &Exp) -> Option<Shape> {
        match exp {
            Exp::Bin(BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge, ab) => ab
                .iter()
                .any(|of| matches!(of, Exp::Lit(Lit::I64(_))))
                .then_some(Shape::I64Literals),
            Exp::Bin(BinOp::Or | BinOp::Xor, ab) => (!kernel.private.is_empty()
                && matches!(self.types.exp(&ab[0]), Ty::Vector(..)))
            .then_some(Shape::VectorBits),
            _ => None,
        }
    }

    /// Looks at the expressions of a kernel and of the functions that are written with it.
    fn every_part<'k>(&'k self, kernel: &'k Kernel, look: &mut impl FnMut(&'k Exp)) {
        let mut used = vec![false; self.program.functions.len()];
        called(self.program, &kernel.body, &mut used);
        visit::block(&kernel.body, look);
        for (function, _) in self.program.functions.iter().zip(used).filter(|(_, used)| *used) {
            visit::block(&function.body, look);
            function.result.iter().for_each(|(_, exp)| visit::exp(exp, look));
        }
    }
}
