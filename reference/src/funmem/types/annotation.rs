//! When an annotation is in scope: `Γ ⊢ τ` and `Γ ⊢ L : d̄` of fig. 8.

use super::{Check, Checked, Kind};
use crate::fun::syntax::Se;
use crate::fun::types::scope::Described;
use crate::funmem::rules::Rule;
use crate::funmem::syntax::{ArrayTy, MemTy};
use crate::kit::text::Span;

impl<'a> Check<'a, '_> {
    /// `Γ ⊢ τ`, T-MEM-TYPE
    ///
    /// ```text
    /// (xᵢ : int) ∈ Γ        (m : mem) ∈ Γ        Γ ⊢ L : [x₁] ⋯ [xₙ]                   (type)
    /// ──────────────────────────────────────────────────────────────
    /// Γ ⊢ [x₁] ⋯ [xₙ] @ m → L
    /// ```
    pub(super) fn t_mem_type(&mut self, ty: &'a MemTy, span: Span) -> Checked {
        let MemTy::Array(array) = ty else { return Ok(()) };
        self.by(Rule::TMemType, String::new, |check| {
            for &size in &array.shape {
                check.int(Rule::TMemType, size, span)?;
            }
            let block = check.lookup(array.block.into(), span)?;
            if !matches!(block, Kind::Mem) {
                let name = check.names.written(array.block);
                let message = format!("`{name}` is {}, not a block", block.what());
                return check.fail(Rule::TMemType, "type", span, message);
            }
            check.t_mem_lmad(array, span)
        })
    }

    /// `Γ ⊢ L : [x₁] ⋯ [xₙ]`, T-MEM-LMAD
    ///
    /// ```text
    /// Γ ⊢ se : int        Γ ⊢ seᵢ : int, and none of them divides                    (total)
    /// zᵢ = xᵢ   for i = 1, …, n                                                 (rank, size)
    /// ──────────────────────────────────────────────────────────
    /// Γ ⊢ se + {(z₁ : se₁) ⋯ (zₙ : seₙ)} : [x₁] ⋯ [xₙ]
    /// ```
    fn t_mem_lmad(&mut self, array: &'a ArrayTy, span: Span) -> Checked {
        self.by(Rule::TMemLmad, String::new, |check| {
            let (shape, lmad) = (&array.shape, &array.lmad);
            if shape.len() != lmad.dims.len() {
                let (sizes, dims) = (shape.len(), lmad.dims.len());
                let message =
                    format!("an index function of {dims} dimensions for an array of rank {sizes}");
                return check.fail(Rule::TMemLmad, "rank", span, message);
            }
            for (&size, dim) in shape.iter().zip(&lmad.dims) {
                check.same_size(Rule::TMemLmad, dim.extent, size, span)?;
            }
            let parts = std::iter::once(&lmad.offset).chain(lmad.dims.iter().map(|d| &d.stride));
            for se in parts {
                check.scalar(se, span)?;
                if divides(se) {
                    let message = "an index function that divides could get stuck".to_owned();
                    return check.fail(Rule::TMemLmad, "total", span, message);
                }
            }
            Ok(())
        })
    }
}

/// Can the expression get stuck?
fn divides(se: &Se) -> bool {
    match se {
        Se::Atom(_) => false,
        Se::Bin(op, ab) => op.is_partial() || ab.iter().any(divides),
    }
}
