//! How a law is applied: patterns, substitution, and one step of a chain.

use super::super::index::Index;
use super::super::syntax::{Head, Name, Program, Term};
use super::super::types::{self, Scope, Sort};
use super::{Class, Law, Right};
use crate::kit::scalar::BinOp;
use std::collections::BTreeMap;
use std::fmt;

/// What the holes of a pattern stand for.
pub type Match = BTreeMap<Name, Term>;

/// What a law knows where it is applied.
pub struct At<'a> {
    /// What its holes stand for.
    pub found: &'a Match,
    /// Its parameter: the size of a tile. 0 for a law that takes none.
    pub parameter: u32,
    /// The axes and parameters; a law that makes new axes declares them.
    pub scope: &'a mut Scope,
    /// Does the guard count? Without it the law is its twin, which some instance refutes.
    pub guarded: bool,
}

impl<'a> At<'a> {
    /// Where a law is applied, its guard counting.
    pub fn new(found: &'a Match, parameter: u32, scope: &'a mut Scope) -> Self {
        At { found, parameter, scope, guarded: true }
    }

    /// Goes on if the guard holds, or does not count.
    pub fn guard(&self, holds: impl FnOnce(&Self) -> bool) -> Option<()> {
        (!self.guarded || holds(self)).then_some(())
    }

    /// What a hole stands for.
    pub fn term(&self, hole: &str) -> &Term {
        &self.found[&Name::new(hole)]
    }

    /// The axis that a hole stands for.
    pub fn axis(&self, hole: &str) -> Option<&Name> {
        self.term(hole).as_axis()
    }

    /// The size that a hole stands for.
    pub fn size(&self, hole: &str) -> Option<u32> {
        self.term(hole).as_size()
    }

    /// The operator that a hole stands for.
    pub fn op(&self, hole: &str) -> Option<BinOp> {
        self.term(hole).as_op()
    }

    /// The constant that a hole stands for.
    pub fn constant(&self, hole: &str) -> Option<i32> {
        match self.term(hole).head {
            Head::Const(k) => Some(k),
            _ => None,
        }
    }

    /// Is it a scalar?
    pub fn is_scalar(&self, hole: &str) -> bool {
        is_scalar(self.term(hole), self.scope)
    }

    /// Does it never get stuck?
    pub fn is_total(&self, hole: &str) -> bool {
        super::super::total::is_total(self.term(hole), self.scope)
    }

    /// Does the axis or state not occur in it?
    pub fn is_without(&self, hole: &str, name: &Name) -> bool {
        !types::free(self.term(hole)).contains(name)
    }
}

/// Is the term a scalar, its free names taken to be bound?
pub fn is_scalar(term: &Term, scope: &Scope) -> bool {
    let bound = types::free(term).into_iter().collect();
    matches!(types::sort(term, scope, bound), Ok(Sort::Tensor(axes)) if axes.is_empty())
}

/// What the holes stand for if the term is an instance of the pattern. A hole that occurs twice
/// stands for equal terms.
pub fn matches(pattern: &Term, term: &Term) -> Option<Match> {
    let mut found = Match::new();
    bind(pattern, term, &mut found).then_some(found)
}

fn bind(pattern: &Term, term: &Term, found: &mut Match) -> bool {
    if let Head::Hole(name) = &pattern.head {
        return match found.get(name) {
            Some(before) => before == term,
            None => {
                found.insert(name.clone(), term.clone());
                true
            }
        };
    }
    pattern.head == term.head
        && pattern.args.len() == term.args.len()
        && pattern.args.iter().zip(term.args.iter()).all(|(p, t)| bind(p, t, found))
}

/// The instance of a pattern; `None` if a hole stands for nothing.
pub fn instance(pattern: &Term, found: &Match) -> Option<Term> {
    if let Head::Hole(name) = &pattern.head {
        return found.get(name).cloned();
    }
    let args: Option<Vec<_>> = pattern.args.iter().map(|arg| instance(arg, found)).collect();
    Some(Term::new(pattern.head.clone(), args?))
}

/// `term[axis := by]`. `None` if a binder in the term binds the axis or captures one of `by`, or if
/// an index becomes too large.
pub fn substituted(term: &Term, axis: &Name, by: &Index, scope: &Scope) -> Option<Term> {
    let mut names = vec![axis.clone()];
    by.axes(&mut |name| names.push(name.clone()));
    let bound = types::binders(term);
    // What `by` mentions may be bound around the term, but not in it.
    if names.iter().any(|name| bound.contains(name)) {
        return None;
    }
    replace(term, axis, by, scope)
}

fn replace(term: &Term, axis: &Name, by: &Index, scope: &Scope) -> Option<Term> {
    if let Head::Index(index) = &term.head {
        if !index.mentions(axis) {
            return Some(term.clone());
        }
        let index = index.substituted(axis, by, &scope.sizes)?;
        return index.fits(&scope.sizes).then(|| Term::index(index));
    }
    let args: Option<Vec<_>> = term.args.iter().map(|arg| replace(arg, axis, by, scope)).collect();
    Some(Term::new(term.head.clone(), args?))
}

/// The right side of an instance of a law. `None` if the guard does not hold.
pub fn right(law: &Law, at: &mut At<'_>) -> Option<Term> {
    match &law.right {
        Right::Pattern { right, guard } => {
            at.guard(guard)?;
            instance(right, at.found)
        }
        Right::Function(function) => function(at),
    }
}

/// One step of a chain.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The name of the law.
    pub law: String,
    /// The size of a tile, for a law that takes one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub parameter: u32,
    /// From right to left?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub back: bool,
    /// Where: which argument, of which argument, and so on from the root.
    pub position: Vec<usize>,
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.law)?;
        if self.parameter > 0 {
            write!(f, " {}", self.parameter)?;
        }
        f.write_str(if self.back { ", back" } else { "" })
    }
}

/// Does a law lead from the one term to the other, at this position and nowhere else?
///
/// # Errors
/// Why it does not.
pub fn holds(
    step: &Step,
    before: &Program,
    after: &Program,
    classes: &[Class],
) -> Result<(), String> {
    let law = Law::named(&step.law).ok_or_else(|| format!("there is no law {}", step.law))?;
    if !classes.contains(&law.class) {
        return Err(format!("law {} is of a class that is not allowed", law.name));
    }
    if before.params != after.params {
        return Err("the parameters change".to_owned());
    }
    let (from, to) = if step.back { (after, before) } else { (before, after) };
    let at = |program: &Program| {
        let found = program.term.at_position(&step.position).cloned();
        found.ok_or_else(|| "there is nothing at its position".to_owned())
    };
    let (left, wanted) = (at(from)?, at(to)?);
    if from.term.replaced(&step.position, wanted.clone()).as_ref() != Some(&to.term) {
        return Err("the terms differ elsewhere too".to_owned());
    }
    let mut scope = types::check(from).map_err(|wrong| wrong.message)?;
    let rights = rights(law, step.parameter, &left, &mut scope);
    if rights.is_empty() {
        return Err(format!("law {} does not apply there", law.name));
    }
    if !rights.contains(&wanted) {
        return Err(format!("law {} gives another term there", law.name));
    }
    types::check(to).map_err(|wrong| format!("the result is no term: {}", wrong.message))?;
    Ok(())
}

/// What a law makes of a term at its root, by each of its left sides; of a law that is stated both
/// ways, from left to right only.
pub fn rights(law: &Law, parameter: u32, term: &Term, scope: &mut Scope) -> Vec<Term> {
    made(law, parameter, true, term, scope)
}

/// The same of the law without its guard: of its twin.
pub fn unguarded(law: &Law, parameter: u32, term: &Term, scope: &mut Scope) -> Vec<Term> {
    made(law, parameter, false, term, scope)
}

fn made(law: &Law, parameter: u32, guarded: bool, term: &Term, scope: &mut Scope) -> Vec<Term> {
    let matches = law.left.iter().filter_map(|left| matches(left, term));
    let matches: Vec<Match> = matches.collect();
    let made = matches.iter().filter_map(|found| {
        // A guard that fails half way may have declared an axis.
        let mut own = scope.clone();
        let made = right(law, &mut At { found, parameter, scope: &mut own, guarded })?;
        *scope = own;
        Some(made)
    });
    made.collect()
}
