//! What is observed at the end of a program.

use super::exp;
use super::run::Run;
use crate::device::rules::Rule;
use crate::device::scalar::clamp;
use crate::device::syntax::{Exp, Output};
use crate::kit::outcome::{Cause, Value, Why};
use crate::kit::run::Eval;
use crate::kit::text::Span;

impl Run<'_> {
    /// `D-RESULT`
    ///
    /// ```text
    /// b is a block  (block)      0 ≤ nᵢ  (size)
    /// v[y₁, …, yₖ] = M(b[o + ∑ (yᵢ - 1) · sᵢ]), all of them in b  (inside)
    /// ────────────────────────────────────────────────────────────────────────
    /// M; E ⊢ result b : [n₁]⋯[nₖ] at o strides (s₁, …, sₖ) ⇓ v
    /// ```
    pub(super) fn result(&mut self, output: &Output) -> Eval<Value> {
        let span = Span::default();
        match output {
            Output::Int(exp) => {
                let k = exp::integer(&self.env, exp);
                Ok(Value::from(self.total(span, k)? as i32))
            }
            Output::Array { block, shape, offset, strides } => {
                let (_, base, length) = self.of_block(span, block)?;
                if base == 0 {
                    self.require(Rule::Result, span, Cause::NoBlock, &[])?;
                }
                let extents = self.extents(span, shape)?;
                let offset = self.exact(span, offset)?;
                let strides: Vec<i128> = strides
                    .iter()
                    .map(|stride| self.exact(span, stride))
                    .collect::<Result<_, _>>()?;
                let elements =
                    extents.iter().fold(1u64, |product, n| product.saturating_mul(*n as u64));
                let bytes = self.observed.saturating_add(elements.saturating_mul(4));
                if bytes > self.budget.memory {
                    return Err(Why::Memory(bytes).into());
                }
                self.observed = bytes;
                let mut data = Vec::with_capacity(elements as usize);
                if elements > 0 {
                    for at in corners(&extents, offset, &strides) {
                        let operands = [clamp(at), length.into()];
                        self.require(Rule::Result, span, Cause::OutsideBlock, &operands)?;
                    }
                    let words = self.machine.read(base, length)?;
                    gather(&extents, offset, &strides, |at| {
                        data.push(words.get(at as usize).copied().unwrap_or(0) as i32);
                    });
                }
                Ok(Value::ints(extents, data))
            }
        }
    }

    fn extents(&mut self, span: Span, shape: &[Exp]) -> Eval<Vec<usize>> {
        let mut extents = Vec::new();
        for size in shape {
            let size = exp::integer(&self.env, size);
            let size = self.total(span, size)?;
            self.require(Rule::Result, span, Cause::NegativeSize, &[size])?;
            extents.push(size as usize);
        }
        Ok(extents)
    }
}

/// The lowest and the highest offset of an array without an empty extent.
fn corners(extents: &[usize], offset: i128, strides: &[i128]) -> [i128; 2] {
    let mut corners = [offset, offset];
    for (extent, stride) in extents.iter().zip(strides) {
        let reach = stride.saturating_mul(*extent as i128 - 1);
        let corner = &mut corners[usize::from(reach > 0)];
        *corner = corner.saturating_add(reach);
    }
    corners
}

/// Visits the offsets of the elements in row-major order; none of them is outside `corners`.
fn gather(extents: &[usize], offset: i128, strides: &[i128], mut visit: impl FnMut(i128)) {
    let mut index = vec![0; extents.len()];
    let mut at = offset;
    loop {
        visit(at);
        let mut dim = extents.len();
        loop {
            let Some(next) = dim.checked_sub(1) else { return };
            dim = next;
            index[dim] += 1;
            at += strides[dim];
            if index[dim] < extents[dim] {
                break;
            }
            at -= strides[dim] * extents[dim] as i128;
            index[dim] = 0;
        }
    }
}
