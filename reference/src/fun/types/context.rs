//! What the type rules ask of `Γ`, and how they extend it.

use super::{Check, Checked, Entry, Shape, Wanted, shape};
use crate::fun::rules::Rule;
use crate::fun::syntax::{Atom, Binding, Dim, Fun, Stm, Ty};
use crate::kit::names::Var;
use crate::kit::rules::Roll;
use crate::kit::text::{MAX_NESTING, Rejected, Span};

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

    /// `Γ, (x : τ)`. Names are bound once (reading FUN 5): the parser sees to it, and a program
    /// that breaks it is not a program of the core.
    pub(super) fn bind(&mut self, var: Var, shape: Shape<'a>, span: Span) -> Checked {
        let name = self.names.text(var);
        if !matches!(self.gamma[var.slot()], Entry::Unbound) {
            return Err(Rejected::new(
                span,
                format!("`{name}` is bound twice"),
                "bound again here",
            ));
        }
        if shape.len() > MAX_NESTING {
            let message = format!("`{name}` has more than {MAX_NESTING} dimensions");
            return Err(Rejected::new(span, message, "too many dimensions"));
        }
        self.gamma[var.slot()] = Entry::Bound(shape);
        Ok(())
    }

    /// `(x : τ) ∈ Γ`: a name that is bound, and not consumed.
    pub(super) fn lookup(&mut self, rule: Rule, atom: Atom, span: Span) -> Checked<Shape<'a>> {
        let Atom::Var(var) = atom else { return Ok(&[]) };
        let name = self.names.text(var);
        let message = match self.gamma[var.slot()] {
            Entry::Bound(shape) => match self.aliases.consumed(var) {
                None => return Ok(shape),
                Some(_) => {
                    let message = format!(
                        "`{name}` is out of scope: it, or an array that may share its elements, \
                         has been updated"
                    );
                    return self.fail(rule, "consumed", span, message);
                }
            },
            Entry::Unbound => format!("the name `{name}` is not bound"),
            Entry::Left => format!("`{name}` is out of scope: the body that binds it is over"),
        };
        self.fail(Rule::TVar, "scope", span, message)
    }

    /// `(x : int) ∈ Γ`; an array is none, whether it is consumed or not.
    pub(super) fn int(&mut self, rule: Rule, atom: Atom, span: Span) -> Checked {
        if let Atom::Var(var) = atom
            && let Entry::Bound(shape @ [_, ..]) = self.gamma[var.slot()]
        {
            let message = format!("`{}` is {}, not an int", self.names.text(var), what(shape));
            return self.fail(rule, "type", span, message);
        }
        self.lookup(rule, atom, span).map(drop)
    }

    /// `(x : [z₁] ⋯ [zₙ]) ∈ Γ`
    pub(super) fn array(&mut self, rule: Rule, var: Var, span: Span) -> Checked<Shape<'a>> {
        let shape = self.lookup(rule, var.into(), span)?;
        if shape.is_empty() {
            let message = format!("`{}` is an int, not an array", self.names.text(var));
            return self.fail(rule, "type", span, message);
        }
        Ok(shape)
    }

    pub(super) fn rank(
        &mut self,
        rule: Rule,
        var: Var,
        shape: Shape<'a>,
        rank: usize,
        span: Span,
    ) -> Checked {
        if shape.len() == rank {
            return Ok(());
        }
        let message =
            format!("`{}` is {}, not an array of rank {rank}", self.names.text(var), what(shape));
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
            let message = format!("{} where {} is wanted", what(found), what(wanted));
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

pub(super) fn wanted(pattern: &[Binding<Fun>]) -> Vec<Wanted<'_>> {
    pattern.iter().map(|binding| (binding.var, shape(&binding.ty))).collect()
}

pub(super) fn what(shape: &[Atom]) -> String {
    match shape.len() {
        0 => "an int".to_owned(),
        rank => format!("an array of rank {rank}"),
    }
}
