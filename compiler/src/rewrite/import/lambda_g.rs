//! From λG to terms over named axes, for given sizes.
//!
//! The program is evaluated as far as it is known: functions are applied, regions and worlds are left out, and what a
//! function that applies itself does becomes a loop. What is left are scalars and vectors.
//!
//! - `parmap` is a `build`, and so is `iota` where it is a result or a row. `on` is the mark of a nest: its outermost
//!   `build` is `grid`, and without an `on` around it is `seq`. The law of levels goes both ways, so the search decides
//!   what a plan launches.
//! - A vector that is made and read is a `store`: the region that it lies in is this place. To inline it is the business
//!   of a law.
//! - A vector of pairs is a vector for each component, and one of vectors an array if they are equally long.
//! - `fix` is a fold where a component counts its rounds ([`folds`]), and is written out where what is known decides
//!   each of its conditions.
//!
//! λG evaluates everything, a term only what its result needs. So what may get stuck is refused where λG evaluates it: a
//! division, an index. That a region is full is not a matter of values, and a plan has no regions.

mod borders;
mod eval;
mod folds;
mod values;
mod vectors;

pub use borders::{flat, nested, sizes};

use super::terms::Terms;
use super::{Enters, StaysOut, checked, out};
use reference::axes::syntax::{Head, Level, Name, Param, Program, Term};
use reference::kit::nested::Nested;
use reference::kit::text::Span;
use reference::lambda_g::syntax::Program as Source;
use reference::lambda_g::types::facts;
use std::collections::BTreeSet;
use values::{Env, Val};

/// The program as a term: its parameters have the `sizes` that are given (see [`sizes`]). An int without a number stays
/// a scalar, and so does a bool, which is true where it is not 0. What is no scalar is an array for each component.
///
/// # Errors
/// What cannot enter, and why; a size that is missing, or that is no size.
pub fn import(program: &Source, sizes: &[(String, i32)]) -> Result<Program, StaysOut> {
    let facts = facts(program);
    let facts = facts.map_err(|no| StaysOut { span: no.span, reason: no.message })?;
    let span = program.body.span;
    let mut importer = Importer {
        program,
        terms: Terms::default(),
        at: span,
        steps: 0,
        depth: 0,
        calls: Vec::new(),
        written_out: 0,
        is_on: false,
        on: BTreeSet::new(),
    };
    if facts.result.has_function() {
        return out(span, "its result has a function, which no term has");
    }
    let (params, env) = importer.params(&facts.params, sizes)?;
    let result = importer.eval(&program.body, &env)?;
    let outs = importer.outs(&result, &facts.result)?;
    let term = with_levels(&Term::results(outs), &importer.on);
    checked(Program { params, term }, span)
}

/// The term with nests that are `seq` where none of their axes was bound in an `on`.
fn with_levels(term: &Term, on: &BTreeSet<Name>) -> Term {
    let args: Vec<Term> = term.args.iter().map(|arg| with_levels(arg, on)).collect();
    let is_launched = |arg: &Term| arg.head == Head::Level(Level::Grid);
    match &term.head {
        Head::Build if is_launched(&term.args[0]) && !is_on(term, on) => {
            let level = Term::leaf(Head::Level(Level::Seq));
            Term::new(Head::Build, [&[level], &args[1..]].concat())
        }
        head => Term::new(head.clone(), args),
    }
}

/// Was one of the axes of a nest bound in an `on`?
fn is_on(term: &Term, on: &BTreeSet<Name>) -> bool {
    let own = term.args.get(1).and_then(Term::as_axis);
    term.head == Head::Build
        && (own.is_some_and(|axis| on.contains(axis))
            || term.args.get(3).is_some_and(|inner| is_on(inner, on)))
}

struct Importer<'p> {
    program: &'p Source,
    terms: Terms,
    /// What is evaluated.
    at: Span,
    steps: usize,
    depth: usize,
    /// What was seen of the functions that apply themselves, for each fold that is being found: what an application
    /// comes to, and the ints and bools that it is given.
    calls: Vec<Vec<(Val<'p>, Vec<Term>)>>,
    /// Applications that are being written out, in one another.
    written_out: usize,
    /// Is an `on` around?
    is_on: bool,
    /// The axes that were bound there.
    on: BTreeSet<Name>,
}

impl<'p> Importer<'p> {
    /// Refuses what is evaluated.
    fn refuse<T>(&self, reason: impl Into<String>) -> Enters<T> {
        out(self.at, reason)
    }

    /// A name that a term may have, like that of a variable.
    fn named(&mut self, written: &str) -> Name {
        let letters: String = written.chars().filter(char::is_ascii_alphanumeric).collect();
        let is_name = letters.starts_with(|first: char| first.is_ascii_alphabetic());
        self.terms.naming.fresh(if is_name { &letters } else { "i" })
    }

    /// A new axis of so many rounds.
    fn axis(&mut self, like: &str, length: u32) -> Enters<Name> {
        let axis = self.named(like);
        self.terms.fits(&[length], self.at)?;
        self.terms.declare(&axis, length, self.at)?;
        if self.is_on {
            self.on.insert(axis.clone());
        }
        Ok(axis)
    }

    /// What is evaluated in the rounds of an axis, in a body of its own.
    fn inside<T>(
        &mut self,
        axis: Option<&Name>,
        eval: impl FnOnce(&mut Self) -> Enters<T>,
    ) -> Enters<T> {
        self.terms.homes += 1;
        let home = self.terms.homes;
        let outer = std::mem::replace(&mut self.terms.home, home);
        self.terms.around.extend(axis.cloned());
        let value = eval(self)?;
        if axis.is_some() {
            self.terms.around.pop();
        }
        self.terms.home = outer;
        Ok(value)
    }

    /// What is evaluated, or why not; then everything around is as it was.
    fn attempt<T>(&mut self, eval: impl FnOnce(&mut Self) -> Enters<T>) -> Enters<T> {
        let before = (self.at, self.depth, self.is_on, self.terms.home, self.written_out);
        let (around, given) = (self.terms.around.len(), self.terms.given.len());
        let calls = self.calls.len();
        let found = eval(self);
        if found.is_err() {
            (self.at, self.depth, self.is_on, self.terms.home, self.written_out) = before;
            self.terms.around.truncate(around);
            self.terms.given.truncate(given);
            self.calls.truncate(calls);
        }
        found
    }

    fn params(
        &mut self,
        types: &[Nested],
        sizes: &[(String, i32)],
    ) -> Enters<(Vec<Param>, Env<'p>)> {
        let mut params = Vec::new();
        let mut env = Env::default();
        for (param, ty) in self.program.params.iter().zip(types) {
            self.at = param.span;
            let name = self.program.names.text(param.var);
            let value = self.param(ty, (name, name), sizes, &mut params)?;
            env = env.with(param.var, value);
        }
        self.at = self.program.body.span;
        Ok((params, env))
    }
}
