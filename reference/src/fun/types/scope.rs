//! `Γ` and the derivation that grows over it: what the type rules of FUN and FUNMEM share.

use super::Checked;
use crate::fun::syntax::{Atom, Se};
use crate::kit::derivation::Recorder;
use crate::kit::names::{Names, Var};
use crate::kit::rules::Roll;
use crate::kit::text::{Limit, MAX_NESTING, Rejected, Span, counted};

/// What `Γ` says of a name.
pub(crate) trait Described: Copy {
    /// How many dimensions it has.
    fn rank(self) -> usize;
    /// What it is, in words.
    fn what(self) -> String;
}

/// The sizes of an array, or none for an int.
impl Described for &[Atom] {
    fn rank(self) -> usize {
        self.len()
    }

    fn what(self) -> String {
        match self.len() {
            0 => "an int".to_owned(),
            rank => format!("an array of rank {rank}"),
        }
    }
}

/// What `Γ` holds for a name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Entry<K> {
    Unbound,
    Bound(K),
    /// It was bound in a body that is over.
    Left,
}

/// The state of a check by the rules `R`, with names of the kinds `K`; `A` knows which names may
/// share their elements.
pub(crate) struct Scope<'a, 'r, R: Roll, K, A = ()> {
    pub(crate) names: &'a Names,
    pub(crate) recorder: &'r mut Recorder<R>,
    /// `Γ`
    pub(crate) gamma: Vec<Entry<K>>,
    /// The constant or older name that a name is bound to: reading FUN 4.
    pub(crate) equal: Vec<Option<Atom>>,
    /// `S` of T-RESULT and T-MEM-RESULT; all `None` between its uses.
    pub(crate) substitution: Vec<Option<Atom>>,
    pub(crate) aliases: A,
}

impl<'a, 'r, R: Roll, K: Described, A> Scope<'a, 'r, R, K, A> {
    /// Nothing is bound.
    pub(crate) fn new(names: &'a Names, recorder: &'r mut Recorder<R>, aliases: A) -> Self {
        Self {
            names,
            recorder,
            gamma: vec![Entry::Unbound; names.len()],
            equal: vec![None; names.len()],
            substitution: vec![None; names.len()],
            aliases,
        }
    }

    /// `Γ, (x : τ)`. Names are bound once (reading FUN 5): the parser sees to it, and a program
    /// that breaks it is not a program of the core.
    pub(crate) fn bind(&mut self, var: Var, kind: K, span: Span) -> Checked {
        // Names are asked for where something is wrong only: most are never settled.
        if !matches!(self.gamma[var.slot()], Entry::Unbound) {
            let message = format!("`{}` is bound twice", self.names.written(var));
            return Err(Rejected::new(span, message, "bound again here"));
        }
        if kind.rank() > MAX_NESTING {
            let name = self.names.written(var);
            let message = format!("`{name}` has more than {MAX_NESTING} dimensions");
            return Err(
                Rejected::new(span, message, "too many dimensions").by_limit(Limit::Dimensions)
            );
        }
        self.gamma[var.slot()] = Entry::Bound(kind);
        Ok(())
    }

    /// `(x : τ) ∈ Γ`, by a rule with the premise `scope`.
    pub(crate) fn bound(&mut self, rule: R, var: Var, span: Span) -> Checked<K> {
        let (before, behind) = match self.gamma[var.slot()] {
            Entry::Bound(kind) => return Ok(kind),
            Entry::Unbound => ("the name ", " is not bound"),
            Entry::Left => ("", " is out of scope: the body that binds it is over"),
        };
        let message = format!("{before}`{}`{behind}", self.names.written(var));
        self.fail(rule, "scope", span, message)
    }

    /// The array `x` of this shape has as many dimensions.
    pub(crate) fn rank(
        &mut self,
        rule: R,
        var: Var,
        shape: &[Atom],
        rank: usize,
        span: Span,
    ) -> Checked {
        if shape.len() == rank {
            return Ok(());
        }
        let (name, what) = (self.names.written(var), shape.what());
        let message = format!("`{name}` is {what}, not an array of rank {rank}");
        self.fail(rule, "rank", span, message)
    }

    /// Two shapes are equal, size by size.
    pub(crate) fn same_shape(
        &mut self,
        rule: R,
        found: &[Atom],
        wanted: &[Atom],
        span: Span,
    ) -> Checked {
        if found.len() != wanted.len() {
            let message = format!("{} where {} is wanted", found.what(), wanted.what());
            return self.fail(rule, "size", span, message);
        }
        found.iter().zip(wanted).try_for_each(|(&a, &b)| self.same_size(rule, a, b, span))
    }

    /// Two sizes are equal: the same name or the same constant.
    pub(crate) fn same_size(&mut self, rule: R, found: Atom, wanted: Atom, span: Span) -> Checked {
        if self.canonical(found) == self.canonical(wanted) {
            return Ok(());
        }
        let text = |atom| match atom {
            Atom::Const(k) => k.to_string(),
            Atom::Var(var) => self.names.written(var).to_owned(),
        };
        let message = format!("size {} where {} is wanted", text(found), text(wanted));
        self.fail(rule, "size", span, message)
    }

    /// What stands for all names of the same size.
    pub(crate) fn canonical(&self, atom: Atom) -> Atom {
        atom.var().and_then(|var| self.equal[var.slot()]).unwrap_or(atom)
    }

    /// `S(x)`
    pub(crate) fn substitute(&self, atom: Atom) -> Atom {
        atom.var().and_then(|var| self.substitution[var.slot()]).unwrap_or(atom)
    }

    /// A node of the derivation.
    pub(crate) fn by<T>(
        &mut self,
        rule: R,
        subject: impl FnOnce() -> String,
        premises: impl FnOnce(&mut Self) -> Checked<T>,
    ) -> Checked<T> {
        self.recorder.enter(rule, subject);
        let outcome = premises(self)?;
        self.recorder.leave(String::new);
        Ok(outcome)
    }

    /// `premise` of `rule` fails.
    pub(crate) fn fail<T>(
        &mut self,
        rule: R,
        premise: &'static str,
        span: Span,
        message: String,
    ) -> Checked<T> {
        self.recorder.fail(rule, premise);
        let name = rule.info().name;
        Err(Rejected::new(span, message, "in this statement").by_rule(name, premise))
    }
}

/// What is said where so many results stand for so many names.
pub(crate) fn of_names(results: usize, names: usize) -> String {
    format!("{} for {}", counted(results, "result"), counted(names, "name"))
}

/// Where a statement is the name of an array and nothing else, it says how an array is copied or, if the statement
/// binds an int, how an element is read.
pub(crate) fn copied(se: &Se, binds_int: bool, error: Rejected) -> Rejected {
    let of_type = error.rule.is_some_and(|(_, premise)| premise == "type");
    match se {
        Se::Atom(Atom::Var(_)) if of_type && binds_int => error.help(
            "an element is read by indices in brackets behind the name, as in `a[1]` or `b[i, j]`",
        ),
        Se::Atom(Atom::Var(_)) if of_type => error.help("`copy` in front of it copies an array"),
        _ => error,
    }
}
