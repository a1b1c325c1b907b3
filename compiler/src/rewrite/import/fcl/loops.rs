//! Loops: a `seq` where a component counts the rounds, and written out where what is known decides how often they go round.

use super::nest::Nest;
use super::values::{Lazy, Of, Pull, Val};
use super::{Enters, Importer};
use reference::axes::index::Index;
use reference::axes::syntax::{Head, Name, Term};
use reference::axes::types;
use reference::kit::scalar::BinOp;
use std::rc::Rc;

/// The most rounds of a loop that is written out.
const MOST_ROUNDS: usize = 64;

/// A component of the state of a loop that counts the rounds.
struct Counter {
    /// Which one.
    nth: usize,
    start: i32,
    rounds: u32,
}

impl<'p> Importer<'p> {
    /// `while c f v`
    pub(super) fn rounds(
        &mut self,
        cond: &Val<'p>,
        step: &Val<'p>,
        array: &Val<'p>,
    ) -> Enters<Val<'p>> {
        let array = self.forced(array)?;
        if array.length == 1
            && let Some(state) = self.attempt(|to| to.counted(cond, step, &array))
        {
            return Ok(state);
        }
        self.written_out(cond, step, array)
    }

    /// What is evaluated, if it comes to its end.
    pub(super) fn attempt<T>(
        &mut self,
        eval: impl FnOnce(&mut Self) -> Enters<Option<T>>,
    ) -> Option<T> {
        let before = (self.level, self.at, self.depth);
        let (around, given) = (self.terms.around.len(), self.terms.given.len());
        let found = eval(self);
        if found.is_err() {
            (self.level, self.at, self.depth) = before;
            self.terms.around.truncate(around);
            self.terms.given.truncate(given);
        }
        found.unwrap_or_default()
    }

    fn written_out(
        &mut self,
        cond: &Val<'p>,
        step: &Val<'p>,
        mut array: Rc<Pull<'p>>,
    ) -> Enters<Val<'p>> {
        let first = array.length;
        for _ in 0..=MOST_ROUNDS {
            let state = Val::Pull(Rc::clone(&array));
            let goes_on = self.condition(cond, &state)?;
            match self.constant(&goes_on) {
                Some(0) => return Ok(state),
                Some(_) => {}
                None => return self.refuse("how often this loop goes round depends on elements"),
            }
            let next = self.apply(step.clone(), Lazy::Val(state))?;
            array = self.forced(&next)?;
            if array.length > first {
                let length = array.length;
                return self.refuse(format!(
                    "the array of this loop grows: it has {length} elements after {first}"
                ));
            }
        }
        self.refuse(format!("this loop has more than {MOST_ROUNDS} rounds"))
    }

    fn condition(&mut self, cond: &Val<'p>, state: &Val<'p>) -> Enters<Term> {
        let holds = self.apply(cond.clone(), Lazy::Val(state.clone()))?;
        match self.settled(holds)? {
            Val::Scalar(term) => Ok(term),
            _ => unreachable!("T-WHILE: a condition is a bool"),
        }
    }

    /// A loop over one element, of which a component counts the rounds, and each of the others depends on itself. `None` if
    /// it is another one.
    fn counted(
        &mut self,
        cond: &Val<'p>,
        step: &Val<'p>,
        array: &Rc<Pull<'p>>,
    ) -> Enters<Option<Val<'p>>> {
        let start = self.element(array, &Term::constant(0))?;
        let start = self.settled(start)?;
        let Some(starts) = start.scalars() else { return Ok(None) };
        let names: Vec<Name> = starts.iter().map(|_| self.named("s")).collect();
        let mut states: Vec<Term> =
            names.iter().map(|name| Term::leaf(Head::Scalar(name.clone()))).collect();
        let state = |states: &[Term]| {
            let of = Of::Single(start.with(&mut states.iter().cloned()));
            Val::Pull(Rc::new(Pull { length: 1, of }))
        };
        let goes_on = self.condition(cond, &state(&states))?;
        let Some(counter) = self.counter(&goes_on, &states, &starts) else { return Ok(None) };
        let Counter { nth, start: from, rounds } = counter;
        if rounds == 0 {
            return Ok(Some(Val::Pull(Rc::clone(array))));
        }
        let axis = self.named("k");
        self.terms.fits(&[rounds], self.at)?;
        self.terms.declare(&axis, rounds, self.at)?;
        let Some(count) = Index::axis(&axis).plus(&Index::number(from), 1) else { return Ok(None) };
        let next = count.plus(&Index::number(1), 1);
        states[nth] = Term::index(count);
        let body = state(&states);
        let made = self.inside(Some(&axis), self.level, |to| {
            let made = to.apply(step.clone(), Lazy::Val(body))?;
            to.nest(&made)
        })?;
        let Some(nexts) = self.only(&made)?.filter(|nexts| nexts.len() == states.len()) else {
            return Ok(None);
        };
        if nexts[nth].as_index() != next {
            return Ok(None);
        }
        let mut ends = Vec::new();
        for (at, (value, name)) in nexts.into_iter().zip(&names).enumerate() {
            let free = types::free(&value);
            if at != nth && names.iter().any(|other| other != name && free.contains(other)) {
                return Ok(None);
            }
            let start = starts[at].clone();
            ends.push(match () {
                () if at == nth => Term::constant(from.wrapping_add(rounds as i32)),
                () if value == states[at] => start,
                () => Term::seq(name, &axis, rounds, start, value),
            });
        }
        let end = start.with(&mut ends.into_iter());
        Ok(Some(Val::Pull(self.single(&end)?)))
    }

    /// Which component of the state a condition counts: it is below a number.
    fn counter(&self, cond: &Term, states: &[Term], starts: &[Term]) -> Option<Counter> {
        let [op, a, b] = &cond.args[..] else { return None };
        let op = op.as_op().filter(|_| cond.head == Head::Apply)?;
        let (op, state, end) = match (op, self.constant(a), self.constant(b)) {
            (BinOp::Lt | BinOp::Le | BinOp::Ne, None, Some(end)) => (op, a, end),
            (BinOp::Gt, Some(end), None) => (BinOp::Lt, b, end),
            (BinOp::Ge, Some(end), None) => (BinOp::Le, b, end),
            (BinOp::Ne, Some(end), None) => (op, b, end),
            _ => return None,
        };
        let nth = states.iter().position(|of| of == state)?;
        let start = self.constant(&starts[nth])?;
        let distance = i64::from(end) - i64::from(start) + i64::from(op == BinOp::Le);
        // Up to the largest int a counter comes, but not beyond.
        let never = op == BinOp::Ne && distance < 0 || op == BinOp::Le && end == i32::MAX;
        let rounds = u32::try_from(distance.max(0)).ok().filter(|_| !never)?;
        Some(Counter { nth, start, rounds })
    }

    /// The scalars of the one element of a nest; `None` if there are others.
    fn only(&self, nest: &Nest<'p>) -> Enters<Option<Vec<Term>>> {
        let Some(mut scalars) = nest.element.scalars().filter(|_| nest.length == 1) else {
            return Ok(None);
        };
        for axis in &nest.loops {
            for scalar in &mut scalars {
                *scalar = self.replaced(scalar, axis, &Index::number(0))?;
            }
        }
        Ok(Some(scalars))
    }
}
