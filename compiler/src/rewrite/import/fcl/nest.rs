//! Push arrays as nests of loops.

use super::force::Merge;
use super::values::{Delayed, Lazy, Of, Pull, Val};
use super::{Enters, Importer};
use reference::axes::index::{Atom, Index};
use reference::axes::syntax::{Head, Name, Term};
use std::rc::Rc;

/// The loops that compute the elements of an array.
pub(super) struct Nest<'p> {
    pub(super) length: u32,
    /// The axis of its elements.
    pub(super) axis: Name,
    /// The loops, outermost first.
    pub(super) loops: Vec<Name>,
    /// How the axis counts through the loops, from the axis on.
    pub(super) merges: Vec<Merge>,
    /// A base value.
    pub(super) element: Val<'p>,
}

/// The most axes that a loop is made.
const MOST_PARTS: usize = 8;

impl<'p> Importer<'p> {
    /// A push array as it is forced here.
    pub(super) fn nest(&mut self, array: &Val<'p>) -> Enters<Nest<'p>> {
        match array {
            Val::Push(of, level) => {
                self.respects(*level)?;
                let nest = self.elements(of)?;
                self.in_parts(nest)
            }
            Val::Delayed(of) if self.level > 0 => self.delayed(of),
            Val::Delayed(_) => self.refuse("a thread forces chunks, which is stuck"),
            _ => unreachable!("T-FORCE: a push array is forced"),
        }
    }

    /// What is evaluated inside of a loop, at another level.
    pub(super) fn inside<T>(
        &mut self,
        axis: Option<&Name>,
        level: u32,
        eval: impl FnOnce(&mut Self) -> Enters<T>,
    ) -> Enters<T> {
        let before = std::mem::replace(&mut self.level, level);
        self.terms.around.extend(axis.cloned());
        let value = eval(self)?;
        if axis.is_some() {
            self.terms.around.pop();
        }
        self.level = before;
        Ok(value)
    }

    /// An axis for the elements of an array.
    pub(super) fn axis_of(&mut self, array: &Pull<'p>) -> Enters<Name> {
        let mut at = array;
        let like = loop {
            match &at.of {
                Of::Generate(Val::Fn(_, var, _)) => break self.program.names.written(*var),
                Of::Map(_, of) => at = of,
                Of::Either(_, [of, _]) => at = of,
                _ => break "i",
            }
        };
        let axis = self.named(like);
        self.terms.declare(&axis, array.length, self.at)?;
        Ok(axis)
    }

    fn elements(&mut self, of: &Rc<Pull<'p>>) -> Enters<Nest<'p>> {
        self.terms.fits(&[of.length], self.at)?;
        let axis = self.axis_of(of)?;
        let element = match of.length {
            // No element is evaluated.
            0 => Val::Scalar(Term::constant(0)),
            _ => self.inside(Some(&axis), 0, |to| {
                let element = to.element(of, &Term::at(&axis))?;
                to.settled(element)
            })?,
        };
        let (length, loops) = (of.length, vec![axis.clone()]);
        Ok(Nest { length, axis, loops, merges: Vec::new(), element })
    }

    /// `concat` and `interleave`
    fn delayed(&mut self, of: &Delayed<'p>) -> Enters<Nest<'p>> {
        let (size, chunks) = self.chunks(of)?;
        let length = self.product(size, chunks.length)?;
        let chunk = self.axis_of(&chunks)?;
        if chunks.length == 0 {
            let axis = self.named("i");
            self.terms.declare(&axis, 0, self.at)?;
            let (loops, element) = (vec![axis.clone()], Val::Scalar(Term::constant(0)));
            return Ok(Nest { length, axis, loops, merges: Vec::new(), element });
        }
        let below = self.level - 1;
        let inner = self.inside(Some(&chunk), below, |to| {
            let array = to.element(&chunks, &Term::at(&chunk))?;
            to.nest(&array)
        })?;
        if inner.length != size {
            let found = inner.length;
            return self
                .refuse(format!("chunks of {found} elements are put together as of {size}"));
        }
        let loops = [chunk.clone()].into_iter().chain(inner.loops.clone()).collect();
        if let Some(order) = of.order.as_ref().filter(|_| size > 0) {
            return self.ordered(order, (&chunk, &inner), loops, length);
        }
        if size == 1 {
            let mut ones = inner.loops.iter();
            let element = ones.try_fold(inner.element, |of, one| self.at_0(&of, one))?;
            return Ok(Nest {
                length,
                axis: chunk.clone(),
                loops: vec![chunk],
                merges: Vec::new(),
                element,
            });
        }
        if chunks.length == 1 {
            let element = self.at_0(&inner.element, &chunk)?;
            return Ok(Nest { element, ..inner });
        }
        let axis = self.named("i");
        self.terms.declare(&axis, length, self.at)?;
        let mut merges = vec![[axis.clone(), chunk, inner.axis]];
        merges.extend(inner.merges);
        Ok(Nest { length, axis, loops, merges, element: inner.element })
    }

    /// A base value where an axis of one round is 0.
    fn at_0(&self, of: &Val<'p>, axis: &Name) -> Enters<Val<'p>> {
        let scalars = of.scalars().unwrap_or_default().into_iter();
        let scalars = scalars.map(|scalar| self.replaced(&scalar, axis, &Index::number(0)));
        let scalars: Vec<Term> = scalars.collect::<Enters<_>>()?;
        Ok(of.with(&mut scalars.into_iter()))
    }

    /// The nest with the order of `interleave`, evaluated for its loops.
    fn ordered(
        &mut self,
        order: &Lazy<'p>,
        (chunk, inner): (&Name, &Nest<'p>),
        loops: Vec<Name>,
        length: u32,
    ) -> Enters<Nest<'p>> {
        let written = match order {
            Lazy::Exp(_, exp) => Some(exp.span),
            _ => None,
        };
        let order = self.value(order)?;
        let mut place = Index::axis(&inner.axis);
        for [axis, outer, within] in &inner.merges {
            let whole = Index::axis(outer).times(self.terms.size_of(within).into());
            let sum = whole.and_then(|whole| whole.plus(&Index::axis(within), 1));
            let next = sum.and_then(|sum| place.substituted(axis, &sum, &self.terms.scope.sizes));
            place = next.map_or_else(|| self.refuse("an index is too large"), Ok)?;
        }
        let pair = Val::pair(Val::Scalar(Term::at(chunk)), Val::Scalar(Term::index(place)));
        let target = self.inside(None, 0, |to| to.apply(order, Lazy::Val(pair)))?;
        let Val::Scalar(target) = self.settled(target)? else {
            unreachable!("T-INTERLEAVE: a place is an int")
        };
        let element = inner.element.clone();
        let before = self.at;
        if let Some(span) = written {
            self.points_at(span);
        }
        let nest = self.by_tiles(target, loops, element, length)?;
        self.at = before;
        Ok(nest)
    }

    /// The nest, in which a loop of which only quotient and remainder are used is two.
    fn in_parts(&mut self, nest: Nest<'p>) -> Enters<Nest<'p>> {
        let mut nest = nest;
        let Some(mut terms) = nest.element.scalars() else {
            unreachable!("T-FORCE: elements are base values")
        };
        while nest.loops.len() < MOST_PARTS {
            let found = nest.loops.iter().find_map(|axis| {
                let size = self.terms.size_of(axis);
                let divisor = terms.iter().find_map(|term| divisor(term, axis, size))?;
                Some((axis.clone(), divisor))
            });
            let Some((axis, divisor)) = found else { break };
            let ([outer, inner], by) = self.halves(&axis, divisor)?;
            for term in &mut terms {
                *term = self.replaced(term, &axis, &by)?;
            }
            let at = nest.loops.iter().position(|of| *of == axis).unwrap_or_default();
            nest.loops.splice(at..=at, [outer.clone(), inner.clone()]);
            nest.merges.push([axis, outer, inner]);
        }
        nest.element = nest.element.with(&mut terms.into_iter());
        Ok(nest)
    }

    /// Two axes for one, and the index that it is by them.
    pub(super) fn halves(&mut self, axis: &Name, divisor: u32) -> Enters<([Name; 2], Index)> {
        let parts = [self.named(axis.text()), self.named(axis.text())];
        let rounds = self.terms.size_of(axis) / divisor;
        self.terms.declare(&parts[0], rounds, self.at)?;
        self.terms.declare(&parts[1], divisor, self.at)?;
        let whole = Index::axis(&parts[0]).times(divisor.into());
        let by = whole.and_then(|whole| whole.plus(&Index::axis(&parts[1]), 1));
        let by = by.map_or_else(|| self.refuse("an index is too large"), Ok)?;
        Ok((parts, by))
    }
}

/// By what an axis of this size is divided in a term, where that divides it.
pub(super) fn divisor(term: &Term, axis: &Name, size: u32) -> Option<u32> {
    let own = match &term.head {
        Head::Index(index) => of_index(index, axis, size),
        _ => None,
    };
    own.or_else(|| term.args.iter().find_map(|arg| divisor(arg, axis, size)))
}

fn of_index(index: &Index, axis: &Name, size: u32) -> Option<u32> {
    index.parts().find_map(|(atom, _)| match atom {
        Atom::Axis(_) => None,
        Atom::Div(of, by) | Atom::Rem(of, by) => {
            let divides = of.as_axis() == Some(axis) && *by < size && size.is_multiple_of(*by);
            divides.then_some(*by).or_else(|| of_index(of, axis, size))
        }
    })
}
