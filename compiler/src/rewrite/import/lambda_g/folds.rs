//! Functions that apply themselves: folds, and those that are written out.
//!
//! `fix f . fn p => if c then A else B`, where one side applies `f` once, is a fold if one component of `p` alone decides
//! `c`, and each round adds or takes away 1: then it counts the rounds.
//! - Where the side is `f p'` itself, the other components are states, each of a `seq`. A state may be computed from the
//!   counter and itself, not from other states.
//! - Where it is `e ⊕ f p'`, the result is a `red` of `e`, with the other side behind it: `⊕` is associative and
//!   commutative. Where it is another term of `f p'`, it is a `seq` that goes through the rounds backwards.

use super::values::{Env, Fix, Val, mentions};
use super::{Enters, Importer};
use crate::rewrite::import::bounded;
use reference::axes::apply::substituted;
use reference::axes::index::Index;
use reference::axes::syntax::{Head, Name, Term, identity};
use reference::axes::types;
use reference::kit::scalar::BinOp;
use reference::lambda_g::syntax::{Boxed, Exp, Kind, Type};
use std::collections::BTreeSet;

/// The most rounds of a fold.
const MOST_ROUNDS: u32 = 1 << 18;

/// The most times that a function is applied in itself where it is written out.
const MOST_WRITTEN: usize = 32;

/// A function whose body is a choice, one side of which applies it.
struct Fold<'a, 'p> {
    env: &'a Env<'p>,
    fix: Fix<'p>,
    argument: &'a Val<'p>,
    /// The ints and bools of the argument.
    start: Vec<Term>,
    cond: &'p Exp,
    /// The side that applies it, and when it is taken.
    again: (&'p Exp, bool),
    /// The other one.
    last: &'p Exp,
}

/// The value of a round, that of the application in it, and the ints and bools that this is given.
type Round<'p> = (Val<'p>, Val<'p>, Option<Vec<Term>>);

/// What counts the rounds.
#[derive(Clone)]
struct Counter {
    /// Which component.
    nth: usize,
    axis: Name,
    rounds: u32,
    /// It, in a round.
    at: Index,
    step: i32,
    /// It, behind the last round.
    end: i32,
}

impl<'p> Importer<'p> {
    /// `(fix f . fn p => e) v`
    pub(super) fn recursion(
        &mut self,
        env: &Env<'p>,
        fix: Fix<'p>,
        argument: Val<'p>,
    ) -> Enters<Val<'p>> {
        let found = match self.choice(env, fix, &argument) {
            Some(fold) => self.attempt(|to| to.folded(&fold)),
            None => self.refuse("this function applies itself, and is not a fold"),
        };
        found.or_else(|why| {
            if self.calls.len() + self.written_out >= MOST_WRITTEN {
                return Err(why);
            }
            self.written_out += 1;
            let f = Val::Fix(env.clone(), fix);
            let inner = env.with(fix.name, f).with(fix.lambda.param, argument);
            let value = self.attempt(|to| to.eval(&fix.lambda.body, &inner));
            self.written_out -= 1;
            value.map_err(|_| why)
        })
    }

    fn choice<'a>(
        &self,
        env: &'a Env<'p>,
        fix: Fix<'p>,
        argument: &'a Val<'p>,
    ) -> Option<Fold<'a, 'p>> {
        let Kind::If(parts) = &fix.lambda.body.kind else { return None };
        let [cond, then, orelse] = &**parts;
        let [in_cond, in_then, in_else] = [cond, then, orelse].map(|part| mentions(part, fix.name));
        let (again, last) = match (in_cond, in_then, in_else) {
            (false, true, false) => ((then, true), orelse),
            (false, false, true) => ((orelse, false), then),
            _ => return None,
        };
        let start = argument.scalars()?;
        Some(Fold { env, fix, argument, start, cond, again, last })
    }

    fn folded(&mut self, fold: &Fold<'_, 'p>) -> Enters<Val<'p>> {
        let names: Vec<Name> = fold.start.iter().map(|_| self.named("s")).collect();
        let symbols: Vec<Term> =
            names.iter().map(|name| Term::leaf(Head::Scalar(name.clone()))).collect();
        let env = fold.with(&symbols);
        let Val::Bool(cond) = self.eval(fold.cond, &env)? else {
            unreachable!("typing: it is a bool")
        };
        let of: Vec<Name> = types::free(&cond).into_iter().collect();
        let counts = |name: &Name| of[..] == [name.clone()];
        let nth = names.iter().position(counts);
        let known = nth.map(|nth| &fold.start[nth].head);
        let unknown = "how often this function applies itself is not known";
        let (Some(nth), Some(Head::Const(start))) = (nth, known) else {
            return self.refuse(unknown);
        };
        if value(&cond, &names[nth], *start).is_none() {
            return self.refuse(unknown);
        }
        let mut why = None;
        for step in [1, -1] {
            let goes_on = |at: i32| value(&cond, &names[nth], at).map(|k| (k != 0) == fold.again.1);
            let Some((rounds, end)) = rounds(*start, step, goes_on) else { continue };
            if rounds == 0 {
                let env = fold.with(&fold.start);
                return self.eval(fold.last, &env);
            }
            let axis = self.axis("k", rounds)?;
            let at = Index::axis(&axis).times(step.into());
            let at = at.and_then(|at| at.plus(&Index::number(*start), 1));
            let Some(at) = at else { continue };
            let counter = Counter { nth, axis, rounds, at, step, end };
            match self.attempt(|to| to.rounds(fold, &counter, &symbols)) {
                Ok(Some(value)) => return Ok(value),
                Ok(None) => {}
                Err(no) => why = Some(no),
            }
        }
        let no_counter =
            "no component of the argument of this function counts how often it applies itself";
        why.map_or_else(|| self.refuse(no_counter), Err)
    }

    /// The fold by this counter; `None` if that does not count.
    fn rounds(
        &mut self,
        fold: &Fold<'_, 'p>,
        counter: &Counter,
        symbols: &[Term],
    ) -> Enters<Option<Val<'p>>> {
        let mut components = symbols.to_vec();
        components[counter.nth] = Term::index(counter.at.clone());
        // What stays as it is, is no state: it is found in the first pass, and known in the next one.
        loop {
            let (value, result, next) = self.round(fold, counter, &components)?;
            let Some(next) = next else { return Ok(None) };
            let mut found = false;
            for (nth, term) in next.iter().enumerate() {
                let stays = *term == symbols[nth] && components[nth] == symbols[nth];
                if nth != counter.nth && stays {
                    components[nth] = fold.start[nth].clone();
                    found = true;
                }
            }
            if found {
                continue;
            }
            let again = value.scalars() == result.scalars();
            return match again {
                true => self.of_states(fold, counter, symbols, &components, &next).map(Some),
                false => self.of_result(fold, counter, (&value, &result), (&components, &next)),
            };
        }
    }

    /// A round: its value, that of the application in it, and the components of the argument of that; none if the
    /// counter does not count, or it applies itself another number of times than once.
    fn round(
        &mut self,
        fold: &Fold<'_, 'p>,
        counter: &Counter,
        components: &[Term],
    ) -> Enters<Round<'p>> {
        let number = self.calls.len();
        let again = Val::Again(number, fold.fix.ty);
        let env = fold.with(components).with(fold.fix.name, again);
        self.calls.push(Vec::new());
        let value = self.inside(Some(&counter.axis), |to| to.eval(fold.again.0, &env))?;
        let mut calls = self.calls.pop().unwrap_or_default();
        let (Some((result, next)), true) = (calls.pop(), calls.is_empty()) else {
            return self.refuse("this function applies itself another number of times than once");
        };
        let counted = counter.at.plus(&Index::number(counter.step), 1).map(Term::index);
        let counts = next.get(counter.nth) == counted.as_ref();
        Ok((value, result, counts.then_some(next)))
    }

    /// The function that is being found applies itself.
    pub(super) fn again(
        &mut self,
        number: usize,
        ty: &'p Type,
        argument: &Val<'p>,
    ) -> Enters<Val<'p>> {
        let Some(next) = argument.scalars() else {
            return self.refuse("this function is given more than ints and bools");
        };
        let result = match ty {
            Type::Boxed { of, .. } => match &**of {
                Boxed::Fn(_, _, result) => self.unknown(result),
                _ => None,
            },
            Type::Bool { .. } => None,
        };
        let Some(result) = result else {
            return self.refuse("this function applies itself, and gives more than ints and bools");
        };
        if let Some(calls) = self.calls.get_mut(number) {
            calls.push((result.clone(), next));
        }
        Ok(result)
    }

    /// An unknown value of ints and bools.
    fn unknown(&mut self, ty: &Type) -> Option<Val<'p>> {
        let mut scalar = || Term::leaf(Head::Scalar(self.named("r")));
        match ty {
            Type::Bool { .. } => Some(Val::Bool(scalar())),
            Type::Boxed { of, .. } => match &**of {
                Boxed::Int => Some(Val::Int(scalar())),
                Boxed::Pair(a, b) => Some(Val::pair(self.unknown(a)?, self.unknown(b)?)),
                _ => None,
            },
        }
    }

    /// The fold of a function that comes to what it is applied to again.
    fn of_states(
        &mut self,
        fold: &Fold<'_, 'p>,
        counter: &Counter,
        symbols: &[Term],
        components: &[Term],
        next: &[Term],
    ) -> Enters<Val<'p>> {
        let states: Vec<usize> = (0..symbols.len())
            .filter(|nth| *nth != counter.nth && components[*nth] == symbols[*nth])
            .collect();
        let name = |nth: usize| match &symbols[nth].head {
            Head::Scalar(name) => name.clone(),
            _ => unreachable!("states are named"),
        };
        let named: BTreeSet<Name> = states.iter().map(|nth| name(*nth)).collect();
        let mut ends = components.to_vec();
        ends[counter.nth] = Term::constant(counter.end);
        for nth in 0..symbols.len() {
            if nth == counter.nth {
                continue;
            }
            let free = types::free(&next[nth]);
            let own = name(nth);
            if !states.contains(&nth) {
                if next[nth] != components[nth] {
                    return self.refuse("a component of the argument changes in a way not seen");
                }
            } else if named.iter().any(|other| *other != own && free.contains(other)) {
                return self.refuse("the states of this function are computed from each other");
            } else {
                let (axis, next) = self.with_own_axis(counter, &next[nth])?;
                let start = fold.start[nth].clone();
                let term = Term::seq(&own, &axis, counter.rounds, start, next);
                ends[nth] = bounded(term, self.at)?;
            }
        }
        let env = fold.with(&ends);
        self.eval(fold.last, &env)
    }

    /// A term in the rounds of an axis of its own: no axis is bound twice.
    fn with_own_axis(&mut self, counter: &Counter, term: &Term) -> Enters<(Name, Term)> {
        let axis = self.axis("k", counter.rounds)?;
        let by = Index::axis(&axis);
        Ok((axis, self.replaced(term, &counter.axis, &by)?))
    }

    fn replaced(&self, term: &Term, axis: &Name, by: &Index) -> Enters<Term> {
        let next = substituted(term, axis, by, &self.terms.scope);
        next.map_or_else(|| self.refuse("an index is too large"), Ok)
    }

    /// The fold of a function that computes something from what it comes to when it is applied again.
    fn of_result(
        &mut self,
        fold: &Fold<'_, 'p>,
        counter: &Counter,
        (value, result): (&Val<'p>, &Val<'p>),
        (components, next): (&[Term], &[Term]),
    ) -> Enters<Option<Val<'p>>> {
        let mut both = components.iter().zip(next).enumerate();
        if both.any(|(nth, (of, next))| nth != counter.nth && of != next) {
            return self.refuse("this function changes its argument, and is not applied last");
        }
        let mut ends = components.to_vec();
        ends[counter.nth] = Term::constant(counter.end);
        let env = fold.with(&ends);
        let last = self.eval(fold.last, &env)?;
        let (term, symbol, last) = match (value, result, last) {
            (Val::Int(term), Val::Int(symbol), Val::Int(last))
            | (Val::Bool(term), Val::Bool(symbol), Val::Bool(last)) => (term, symbol, last),
            _ => {
                return self
                    .refuse("this function gives more than an int, and is not applied last");
            }
        };
        let (Head::Scalar(name), is_int) = (&symbol.head, matches!(value, Val::Int(_))) else {
            unreachable!("what it comes to is named")
        };
        let of_rounds = reduced(term, symbol, name).map(|(op, element)| {
            let red = Term::red(op, &counter.axis, counter.rounds, element);
            match last.head == Head::Const(identity(op).unwrap_or_default()) {
                true => red,
                false => Term::apply(op, red, last.clone()),
            }
        });
        let term = match of_rounds {
            Some(term) => term,
            None => {
                // The last round is the innermost application.
                let axis = self.axis("k", counter.rounds)?;
                let last_round = i32::try_from(counter.rounds - 1).unwrap_or(i32::MAX);
                let by = Index::number(last_round).plus(&Index::axis(&axis), -1);
                let by = by.map_or_else(|| self.refuse("an index is too large"), Ok)?;
                let next = self.replaced(term, &counter.axis, &by)?;
                Term::seq(name, &axis, counter.rounds, last, next)
            }
        };
        let term = bounded(term, self.at)?;
        Ok(Some(if is_int { Val::Int(term) } else { Val::Bool(term) }))
    }
}

impl<'p> Fold<'_, 'p> {
    /// Its variables, for these components of its argument.
    fn with(&self, components: &[Term]) -> Env<'p> {
        let argument = self.argument.with(&mut components.iter().cloned());
        let itself = Val::Fix(self.env.clone(), self.fix);
        self.env.with(self.fix.name, itself).with(self.fix.lambda.param, argument)
    }
}

/// `e ⊕ r` or `r ⊕ e`, where `r` is not in `e`.
fn reduced(term: &Term, symbol: &Term, name: &Name) -> Option<(BinOp, Term)> {
    let op = term.args.first()?.as_op().filter(|_| term.head == Head::Apply)?;
    identity(op)?;
    let element = match &term.args[1..] {
        [element, of] | [of, element] if of == symbol => element,
        _ => return None,
    };
    (!types::free(element).contains(name)).then(|| (op, element.clone()))
}

/// How many rounds there are from a number on, and the number behind them; `None` if there are too many.
fn rounds(start: i32, step: i32, goes_on: impl Fn(i32) -> Option<bool>) -> Option<(u32, i32)> {
    let (mut rounds, mut at) = (0, start);
    while goes_on(at)? {
        if rounds == MOST_ROUNDS {
            return None;
        }
        rounds += 1;
        at = at.checked_add(step)?;
    }
    Some((rounds, at))
}

/// What a scalar is where the only name in it has this value.
fn value(term: &Term, name: &Name, k: i32) -> Option<i32> {
    match &term.head {
        Head::Const(k) => Some(*k),
        Head::Scalar(of) => (of == name).then_some(k),
        Head::Apply => {
            let op = term.args[0].as_op()?;
            op.checked(value(&term.args[1], name, k)?, value(&term.args[2], name, k)?)
        }
        Head::If => {
            let holds = value(&term.args[0], name, k)? != 0;
            value(&term.args[if holds { 1 } else { 2 }], name, k)
        }
        _ => None,
    }
}
