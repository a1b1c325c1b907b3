//! What the type rules ask of `Γ`, and how they extend it.

use super::scope::{Described, Entry};
use super::{Check, Checked, Shape, Wanted, shape};
use crate::fun::rules::Rule;
use crate::fun::syntax::{Atom, Binding, Dim, Fun, Stm, Ty};
use crate::kit::names::Var;
use crate::kit::text::Span;

impl<'a> Check<'a, '_> {
    /// The premises of a slice of `x`, up to its pattern; answers with the sizes of `x`.
    pub(super) fn slice(
        &mut self,
        rule: Rule,
        stm: &'a Stm<Fun>,
        x: Var,
        slice: &[Dim],
    ) -> Checked<Shape<'a>> {
        let sizes = self.array(rule, x, stm.span)?;
        self.rank(rule, x, sizes, slice.len(), stm.span)?;
        for dim in slice {
            for atom in [dim.offset, dim.size, dim.stride] {
                self.int(rule, atom, stm.span)?;
            }
        }
        Ok(sizes)
    }

    /// The pattern is one int, which is bound.
    pub(super) fn one_int(&mut self, rule: Rule, stm: &'a Stm<Fun>) -> Checked<Var> {
        match stm.pattern.as_slice() {
            [Binding { var, ty: Ty::Int }] => {
                self.bind(*var, &[], stm.span)?;
                Ok(*var)
            }
            _ => self.fail(rule, "pattern", stm.span, "the pattern is one int".to_owned()),
        }
    }

    /// The pattern is one array of these sizes, which is bound.
    pub(super) fn one_array(&mut self, rule: Rule, stm: &'a Stm<Fun>, sizes: &[Atom]) -> Checked {
        match stm.pattern.as_slice() {
            [Binding { var, ty: Ty::Array(shape) }] if shape.len() == sizes.len() => {
                self.same_shape(rule, shape, sizes, stm.span)?;
                self.bind(*var, shape, stm.span)
            }
            _ => {
                let message = format!("the pattern is one array of rank {}", sizes.len());
                self.fail(rule, "pattern", stm.span, message)
            }
        }
    }

    /// `Γ, p̄`, and the sizes in `p̄` are ints in it.
    pub(super) fn bind_pattern(
        &mut self,
        rule: Rule,
        pattern: &'a [Binding<Fun>],
        span: Span,
    ) -> Checked {
        self.bind_all(rule, &wanted(pattern), span)
    }

    pub(super) fn bind_all(&mut self, rule: Rule, pattern: &[Wanted<'a>], span: Span) -> Checked {
        for &(var, shape) in pattern {
            self.bind(var, shape, span)?;
        }
        let mut sizes = pattern.iter().flat_map(|(_, shape)| shape.iter());
        sizes.try_for_each(|&size| self.int(rule, size, span))
    }

    /// `(x : τ) ∈ Γ`: a name that is bound, and not consumed.
    pub(super) fn lookup(&mut self, rule: Rule, atom: Atom, span: Span) -> Checked<Shape<'a>> {
        let Atom::Var(var) = atom else { return Ok(&[]) };
        let shape = self.bound(Rule::TVar, var, span)?;
        if self.aliases.consumed(var).is_some() {
            let name = self.names.written(var);
            let message = format!(
                "`{name}` is out of scope: it, or an array that may share its elements, has been \
                 updated"
            );
            return self.fail(rule, "consumed", span, message);
        }
        Ok(shape)
    }

    /// `(x : int) ∈ Γ`; an array is none, whether it is consumed or not.
    pub(super) fn int(&mut self, rule: Rule, atom: Atom, span: Span) -> Checked {
        if let Atom::Var(var) = atom
            && let Entry::Bound(shape @ [_, ..]) = self.gamma[var.slot()]
        {
            let message = format!("`{}` is {}, not an int", self.names.written(var), shape.what());
            return self.fail(rule, "type", span, message);
        }
        self.lookup(rule, atom, span).map(drop)
    }

    /// `(x : [z₁] ⋯ [zₙ]) ∈ Γ`
    pub(super) fn array(&mut self, rule: Rule, var: Var, span: Span) -> Checked<Shape<'a>> {
        let shape = self.lookup(rule, var.into(), span)?;
        if shape.is_empty() {
            let message = format!("`{}` is an int, not an array", self.names.written(var));
            return self.fail(rule, "type", span, message);
        }
        Ok(shape)
    }
}

pub(super) fn wanted(pattern: &[Binding<Fun>]) -> Vec<Wanted<'_>> {
    pattern.iter().map(|binding| (binding.var, shape(&binding.ty))).collect()
}
