//! What is observed at the end of a program.

use super::run::Run;
use super::{border, exp};
use crate::device::rules::Rule;
use crate::device::scalar::clamp;
use crate::device::syntax::{Exp, Output, Shown};
use crate::kit::nested::Nested;
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
    ///
    /// b is a block of k words  (block)      no length in v's words is negative  (size)
    /// the words of v : N are the first ones of b, none of them behind its end  (inside)
    /// v has k words  (whole)
    /// ────────────────────────────────────────────────────────────────────────
    /// M; E ⊢ result b : words N ⇓ v
    /// ```
    ///
    /// The [words](crate::kit::nested) of a value say where it ends, so a block of more words holds something else.
    pub(super) fn result(&mut self, output: &Output) -> Eval<Value> {
        let span = output.span;
        match &output.shown {
            Shown::Scalar(sc, exp) => {
                let value = exp::scalar(&self.env, exp);
                let (_, cell) = self.total(span, value)?;
                Ok(Value::Scalar(border::shown(*sc, cell)))
            }
            Shown::Words(nested, block) => self.nested(span, nested, block),
            Shown::Array { sc, block, shape, offset, strides } => {
                let (address, length) = self.shown_block(span, block)?;
                let extents = self.extents(span, shape)?;
                let offset = self.exact(span, offset)?;
                let strides: Vec<i128> = strides
                    .iter()
                    .map(|stride| self.exact(span, stride))
                    .collect::<Result<_, _>>()?;
                let elements =
                    extents.iter().fold(1u64, |product, n| product.saturating_mul(*n as u64));
                let element = u64::from(sc.inside().words());
                self.observe(elements, 4 * element)?;
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

    /// Address and length of a block.
    fn shown_block(&mut self, span: Span, block: &Exp) -> Eval<(u32, u32)> {
        let (_, address, length) = self.of_block(span, block)?;
        if address == 0 {
            self.require(Rule::Result, span, Cause::NoBlock, &[])?;
        }
        Ok((address, length))
    }

    /// Takes what it takes to show so many elements of so many bytes.
    fn observe(&mut self, elements: u64, bytes: u64) -> Eval {
        let bytes = self.observed.saturating_add(elements.saturating_mul(bytes));
        if bytes > self.budget.memory {
            return Err(Why::Memory(bytes).into());
        }
        self.observed = bytes;
        self.charge(elements)
    }

    fn nested(&mut self, span: Span, nested: &Nested, block: &Exp) -> Eval<Value> {
        let (address, length) = self.shown_block(span, block)?;
        let words = if length == 0 { Vec::new() } else { self.machine.read(address, length)? };
        if self.machine.watches() {
            (0..length).for_each(|at| self.machine.looks(span, address + at, 1));
        }
        let mut words = Words { span, words: &words, at: 0 };
        let value = words.value(self, nested)?;
        let operands = [words.at as i64, length.into()];
        self.require(Rule::Result, span, Cause::Whole, &operands)?;
        Ok(value)
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

/// The words of a block that holds a nested value, and how many of them are read.
struct Words<'w> {
    span: Span,
    words: &'w [u32],
    at: usize,
}

impl Words<'_> {
    fn value(&mut self, run: &mut Run<'_>, nested: &Nested) -> Eval<Value> {
        match nested {
            Nested::Int => Ok((self.word(run)? as i32).into()),
            Nested::Bool => Ok((self.word(run)? != 0).into()),
            Nested::Function => Ok(Value::Opaque("closure".to_owned())),
            Nested::Pair(parts) => {
                let parts = parts.iter().map(|part| self.value(run, part));
                Ok(Value::Tuple(parts.collect::<Eval<_>>()?))
            }
            Nested::Vector(of) => {
                let count = self.word(run)? as i32;
                run.require(Rule::Result, self.span, Cause::NegativeSize, &[count.into()])?;
                let left = (self.words.len() - self.at) as u64;
                if (count as u64).saturating_mul(of.least_words()) > left {
                    self.require_word(run, self.words.len())?;
                }
                let bytes = if of.cells().is_some() { 4 } else { size_of::<Value>() as u64 };
                run.observe(count as u64, bytes)?;
                let values = (0..count).map(|_| self.value(run, of));
                Ok(of.vector(values.collect::<Eval<_>>()?))
            }
        }
    }

    fn word(&mut self, run: &mut Run<'_>) -> Eval<u32> {
        self.require_word(run, self.at)?;
        self.at += 1;
        Ok(self.words[self.at - 1])
    }

    fn require_word(&self, run: &mut Run<'_>, at: usize) -> Eval {
        let operands = [at as i64, self.words.len() as i64];
        run.require(Rule::Result, self.span, Cause::OutsideBlock, &operands)
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
