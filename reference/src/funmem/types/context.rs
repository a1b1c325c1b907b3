//! What the type rules ask of `Γ`, and how they extend it.

use super::{Check, Checked, Entry, Kind, Wanted};
use crate::fun::syntax::Atom;
use crate::funmem::rules::Rule;
use crate::funmem::syntax::{Binding, Dim, FunMem, MemTy, Stm};
use crate::kit::names::Var;
use crate::kit::rules::Roll;
use crate::kit::text::{MAX_NESTING, Rejected, Span};

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

    /// `Γ, (x : τ)`. Names are bound once (reading FUN 5).
    pub(super) fn bind(&mut self, var: Var, kind: Kind<'a>, span: Span) -> Checked {
        let name = self.names.text(var);
        if !matches!(self.gamma[var.slot()], Entry::Unbound) {
            return Err(Rejected::new(
                span,
                format!("`{name}` is bound twice"),
                "bound again here",
            ));
        }
        if matches!(kind, Kind::Array(shape) if shape.len() > MAX_NESTING) {
            let message = format!("`{name}` has more than {MAX_NESTING} dimensions");
            return Err(Rejected::new(span, message, "too many dimensions"));
        }
        self.gamma[var.slot()] = Entry::Bound(kind);
        Ok(())
    }

    /// `(x : τ) ∈ Γ`
    pub(super) fn lookup(&mut self, atom: Atom, span: Span) -> Checked<Kind<'a>> {
        let Atom::Var(var) = atom else { return Ok(Kind::Int) };
        let name = self.names.text(var);
        let message = match self.gamma[var.slot()] {
            Entry::Bound(kind) => return Ok(kind),
            Entry::Unbound => format!("the name `{name}` is not bound"),
            Entry::Left => format!("`{name}` is out of scope: the body that binds it is over"),
        };
        self.fail(Rule::TVar, "scope", span, message)
    }

    /// `(x : int) ∈ Γ`
    pub(super) fn int(&mut self, rule: Rule, atom: Atom, span: Span) -> Checked {
        match (atom, self.lookup(atom, span)?) {
            (_, Kind::Int) | (Atom::Const(_), _) => Ok(()),
            (Atom::Var(var), kind) => {
                let message = format!("`{}` is {}, not an int", self.names.text(var), kind.what());
                self.fail(rule, "type", span, message)
            }
        }
    }

    /// `(x : [z₁] ⋯ [zₙ] @ m → L) ∈ Γ`
    pub(super) fn array(&mut self, rule: Rule, var: Var, span: Span) -> Checked<&'a [Atom]> {
        match self.lookup(var.into(), span)? {
            Kind::Array(shape) => Ok(shape),
            kind => {
                let name = self.names.text(var);
                let message = format!("`{name}` is {}, not an array", kind.what());
                self.fail(rule, "type", span, message)
            }
        }
    }

    pub(super) fn rank(
        &mut self,
        rule: Rule,
        var: Var,
        shape: &[Atom],
        rank: usize,
        span: Span,
    ) -> Checked {
        if shape.len() == rank {
            return Ok(());
        }
        let message = format!("`{}` is not an array of rank {rank}", self.names.text(var));
        self.fail(rule, "rank", span, message)
    }

    pub(super) fn same_shape(
        &mut self,
        rule: Rule,
        found: &[Atom],
        wanted: &[Atom],
        span: Span,
    ) -> Checked {
        if found.len() != wanted.len() {
            let message = format!("rank {} where {} is wanted", found.len(), wanted.len());
            return self.fail(rule, "size", span, message);
        }
        found.iter().zip(wanted).try_for_each(|(&a, &b)| self.same_size(rule, a, b, span))
    }

    /// Two sizes are equal: the same name or the same constant.
    pub(super) fn same_size(
        &mut self,
        rule: Rule,
        found: Atom,
        wanted: Atom,
        span: Span,
    ) -> Checked {
        if self.canonical(found) == self.canonical(wanted) {
            return Ok(());
        }
        let text = |atom| match atom {
            Atom::Const(k) => k.to_string(),
            Atom::Var(var) => self.names.text(var).to_owned(),
        };
        let message = format!("size {} where {} is wanted", text(found), text(wanted));
        self.fail(rule, "size", span, message)
    }

    /// What stands for all names of the same size.
    pub(super) fn canonical(&self, atom: Atom) -> Atom {
        atom.var().and_then(|var| self.equal[var.slot()]).unwrap_or(atom)
    }

    pub(super) fn substitute(&self, atom: Atom) -> Atom {
        atom.var().and_then(|var| self.substitution[var.slot()]).unwrap_or(atom)
    }

    /// A node of the derivation.
    pub(super) fn by<T>(
        &mut self,
        rule: Rule,
        subject: impl FnOnce() -> String,
        premises: impl FnOnce(&mut Self) -> Checked<T>,
    ) -> Checked<T> {
        self.recorder.enter(rule, subject);
        let outcome = premises(self)?;
        self.recorder.leave(String::new);
        Ok(outcome)
    }

    /// `premise` of `rule` fails.
    pub(super) fn fail<T>(
        &mut self,
        rule: Rule,
        premise: &'static str,
        span: Span,
        message: String,
    ) -> Checked<T> {
        self.recorder.fail(rule, premise);
        let name = rule.info().name;
        Err(Rejected::new(span, message, format!("{name}: {premise}")).by_rule(name, premise))
    }
}

pub(super) fn wanted<'a>(pattern: impl Iterator<Item = &'a Binding<FunMem>>) -> Vec<Wanted<'a>> {
    pattern.map(|binding| (binding.var, Kind::of(&binding.ty))).collect()
}
