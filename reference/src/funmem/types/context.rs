//! What the type rules ask of `Γ`, and how they extend it.

use super::{Check, Checked, Kind, Wanted};
use crate::fun::syntax::Atom;
use crate::fun::types::scope::Described;
use crate::funmem::rules::Rule;
use crate::funmem::syntax::{Binding, Dim, FunMem, MemTy, Stm};
use crate::kit::names::Var;
use crate::kit::text::Span;

impl<'a> Check<'a, '_> {
    /// The premises of a slice of `x`, up to its pattern; answers with the sizes of `x`.
    pub(super) fn slice(
        &mut self,
        rule: Rule,
        stm: &'a Stm<FunMem>,
        x: Var,
        slice: &[Dim],
    ) -> Checked<&'a [Atom]> {
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
    pub(super) fn one_int(&mut self, rule: Rule, stm: &'a Stm<FunMem>) -> Checked<Var> {
        match stm.pattern.as_slice() {
            [Binding { var, ty: MemTy::Int }] => {
                self.bind(*var, Kind::Int, stm.span)?;
                Ok(*var)
            }
            _ => self.fail(rule, "pattern", stm.span, "the pattern is one int".to_owned()),
        }
    }

    /// The pattern is one array of these sizes, well typed, which is bound.
    pub(super) fn one_array(
        &mut self,
        rule: Rule,
        stm: &'a Stm<FunMem>,
        sizes: &[Atom],
    ) -> Checked {
        match stm.pattern.as_slice() {
            [Binding { var, ty: ty @ MemTy::Array(array) }] if array.shape.len() == sizes.len() => {
                self.same_shape(rule, &array.shape, sizes, stm.span)?;
                self.t_mem_type(ty, stm.span)?;
                self.bind(*var, Kind::of(ty), stm.span)
            }
            _ => {
                let message = format!("the pattern is one array of rank {}", sizes.len());
                self.fail(rule, "pattern", stm.span, message)
            }
        }
    }

    /// `Γ, p̄`, whose annotations may name each other's ints and blocks.
    pub(super) fn bind_all(
        &mut self,
        pattern: impl Iterator<Item = &'a Binding<FunMem>> + Clone,
        span: Span,
    ) -> Checked {
        for binding in pattern.clone() {
            self.bind(binding.var, Kind::of(&binding.ty), span)?;
        }
        for binding in pattern {
            self.t_mem_type(&binding.ty, span)?;
        }
        Ok(())
    }

    /// `(x : τ) ∈ Γ`
    pub(super) fn lookup(&mut self, atom: Atom, span: Span) -> Checked<Kind<'a>> {
        let Atom::Var(var) = atom else { return Ok(Kind::Int) };
        self.bound(Rule::TVar, var, span)
    }

    /// `(x : int) ∈ Γ`
    pub(super) fn int(&mut self, rule: Rule, atom: Atom, span: Span) -> Checked {
        match (atom, self.lookup(atom, span)?) {
            (_, Kind::Int) | (Atom::Const(_), _) => Ok(()),
            (Atom::Var(var), kind) => {
                let message =
                    format!("`{}` is {}, not an int", self.names.written(var), kind.what());
                self.fail(rule, "type", span, message)
            }
        }
    }

    /// `(x : [z₁] ⋯ [zₙ] @ m → L) ∈ Γ`
    pub(super) fn array(&mut self, rule: Rule, var: Var, span: Span) -> Checked<&'a [Atom]> {
        match self.lookup(var.into(), span)? {
            Kind::Array(shape) => Ok(shape),
            kind => {
                let name = self.names.written(var);
                let message = format!("`{name}` is {}, not an array", kind.what());
                self.fail(rule, "type", span, message)
            }
        }
    }
}

pub(super) fn wanted<'a>(pattern: impl Iterator<Item = &'a Binding<FunMem>>) -> Vec<Wanted<'a>> {
    pattern.map(|binding| (binding.var, Kind::of(&binding.ty))).collect()
}
