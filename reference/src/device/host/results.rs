//! What is observed at the end of a program.

use super::run::Run;
use super::{border, exp};
use crate::device::rules::Rule;
use crate::device::scalar::clamp;
use crate::device::syntax::{Exp, Output, Shown};
use crate::kit::outcome::{Cause, Value, Why};
use crate::kit::run::Eval;
use crate::kit::text::Span;
use crate::kit::value::Cells;

impl Run<'_> {
    /// `D-RESULT`
    ///
    /// ```text
    /// b is a block  (block)      0 ≤ nᵢ  (size)
    /// v[y₁, …, yₖ] = shown(T, M(b[o + ∑ (yᵢ - 1) · sᵢ])), all of them in b  (inside)
    /// shown(bool, k) is whether k ≠ 0, and shown(T, v) = v for other types
    /// ────────────────────────────────────────────────────────────────────────
    /// M; E ⊢ result b : T[n₁]⋯[nₖ] at o strides (s₁, …, sₖ) ⇓ v
    ///
    /// E ⊢ e ⇓ v
    /// ────────────────────────────────────
    /// M; E ⊢ result e : T ⇓ shown(T, v)
    /// ```
    pub(super) fn result(&mut self, output: &Output) -> Eval<Value> {
        let span = output.span;
        match &output.shown {
            Shown::Scalar(sc, exp) => {
                let value = exp::scalar(&self.env, exp);
                let (_, cell) = self.total(span, value)?;
                Ok(Value::Scalar(border::shown(*sc, cell)))
            }
            Shown::Array { sc, block, shape, offset, strides } => {
                let (_, address, length) = self.of_block(span, block)?;
                if address == 0 {
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
                let element = u64::from(sc.inside().words());
                let bytes = self.observed.saturating_add(elements.saturating_mul(4 * element));
                if bytes > self.budget.memory {
                    return Err(Why::Memory(bytes).into());
                }
                self.observed = bytes;
                self.charge(elements)?;
                let mut cells = Cells::none(border::scalar_type(*sc));
                if elements > 0 {
                    for at in corners(&extents, offset, &strides) {
                        let operands = [clamp(at), length.into()];
                        self.require(Rule::Result, span, Cause::OutsideBlock, &operands)?;
                    }
                    let words = self.machine.read(address, length * element as u32)?;
                    let watches = self.machine.watches();
                    gather(&extents, offset, &strides, |at| {
                        if watches {
                            let at = address + at as u32 * element as u32;
                            self.machine.looks(span, at, element as u32);
                        }
                        let cell = border::shown_element(*sc, &words, at as usize);
                        cells.push(cell).expect("they are of one type");
                    });
                }
                Ok(Value::Array { shape: extents, cells })
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
